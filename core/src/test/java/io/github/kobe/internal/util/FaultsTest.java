package io.github.kobe.internal.util;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit;
import io.github.kobe.TestKit.Log;
import io.github.kobe.internal.time.FakeTimer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Are failures logged soon, at a limited rate, with the number of those that were left out, and without harm by keys? */
class FaultsTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final FakeTimer timer = new FakeTimer();
    private final Faults faults = new Faults(timer::nanoTime);
    private final Log log = new Log();

    @AfterEach
    void stopCollecting() {
        log.close();
    }

    private void fail(String group) {
        faults.report("listener", Faults.group(group), new IllegalStateException("broken"));
    }

    private void fail(String group, int times) {
        for (int i = 0; i < times; i++) {
            fail(group);
        }
    }

    @Test
    void firstFailureIsLoggedAtOnce() {
        fail("a");
        assertThat(log.lines(""))
                .containsExactly("listener threw for group 'a'; the exception has no other effect"
                        + " (at most one such line a minute) / java.lang.IllegalStateException: broken");
    }

    @Test
    void nextLineComesAfterAMinuteWithTheNumberOfTheOthers() {
        fail("a", 5);
        timer.advance(60 * SECOND - 1);
        fail("a");
        assertThat(log.lines("")).hasSize(1);
        timer.advance(1);
        fail("a", 3);
        assertThat(log.lines("")).hasSize(2);
        assertThat(log.lines("(5 more since the last such line)")).hasSize(1);
        timer.advance(60 * SECOND);
        fail("a");
        assertThat(log.lines("(2 more since the last such line)")).hasSize(1);
    }

    /** An application may name an executor after what others send. */
    @Test
    void nameOfTheExecutorCannotBeginALine() {
        Faults named = new Faults(timer::nanoTime, () -> "pool 'a\nb'");
        named.warn("task failed", "a task", null);
        assertThat(log.lines("")).singleElement().asString().startsWith("pool 'a\\u000ab': task failed: a task ");
    }

    @Test
    void eachKindAndEachGroupHasItsOwnLine() {
        fail("a", 2);
        fail("b", 2);
        faults.report("listener", Faults.group("a"), new IllegalArgumentException("another class"));
        faults.report("handler", Faults.group("a"), new IllegalStateException("another source"));
        faults.report("handler", Faults.group("a"), "returned null");
        faults.warn("task failed", Faults.group("a"), new IllegalStateException("a task"));
        faults.warn("task failed", "no group", new IllegalStateException("a task"));
        assertThat(log.lines("")).hasSize(7);
    }

    @Test
    void failuresOfCallbacksAreCountedAndOthersAreNot() {
        fail("a", 3);
        faults.report("handler", "a task", "returned null");
        faults.warn("task failed", "a task", null);
        assertThat(faults.count()).isEqualTo(4);
        assertThat(log.lines("task failed: a task (at most one such line a minute)"))
                .hasSize(1);
    }

    @Test
    void floodOfGroupsIsNotLoggedWithoutBoundAndIsForgottenLater() {
        for (int i = 0; i < 10_000; i++) {
            fail("flood " + i);
        }
        assertThat(log.lines("")).hasSize(Faults.MAX_TRACKED);
        timer.advance(60 * SECOND);
        fail("new");
        assertThat(log.lines("group 'new'"))
                .singleElement()
                .asString()
                .contains("; " + (10_000 - Faults.MAX_TRACKED) + " of other kinds and groups were not logged)");
        fail("another");
        assertThat(log.lines("group 'another'")).hasSize(1);
        assertThat(faults.count()).isEqualTo(10_002);
    }

    @Test
    void numberOfAForgottenLineIsLoggedWithAnother() {
        fail("forgotten", 8);
        timer.advance(30 * SECOND);
        for (int i = 1; i < Faults.MAX_TRACKED; i++) {
            fail("recent " + i);
        }
        fail("not tracked");
        assertThat(log.lines("not tracked")).isEmpty();
        timer.advance(30 * SECOND);
        fail("tracked");
        assertThat(log.lines("group 'tracked'"))
                .singleElement()
                .asString()
                .contains("; 8 of other kinds and groups were not logged)"); // seven, and the one that was not tracked
    }

    @Test
    void keyCannotBeginALineOrHideText() {
        fail("a'\r\n2026-01-01 ERROR forged\u2028\u0085\u001b[2J\u202e\u0000");
        assertThat(log.lines("forged"))
                .singleElement()
                .asString()
                .contains("group 'a'\\u000d\\u000a2026-01-01 ERROR forged\\u2028\\u0085\\u001b[2J\\u202e\\u0000'");
    }

    @Test
    void longKeyIsShortened() {
        String longKey = "k".repeat(1_000_000);
        fail(longKey + 1);
        fail(longKey + 2);
        assertThat(log.lines("1000009 characters)")).hasSize(2).allMatch(line -> line.length() < 600);
    }

    @Test
    void subjectThatThrowsDoesNotReachTheCaller() {
        Object subject = new Object() {
            @Override
            public String toString() {
                throw new IllegalStateException("thrown by toString");
            }
        };
        faults.report("carrier", subject, new IllegalStateException("broken"));
        assertThat(faults.count()).isEqualTo(1);
    }

    /** Every failure is in exactly one of the numbers that are logged, also if lines are forgotten meanwhile. */
    @Test
    void nothingIsLostIfThreadsReportAtTheSameTime() throws Exception {
        AtomicInteger reported = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            int first = t * 40;
            threads.add(Thread.ofVirtual().start(() -> {
                for (int i = 0; i < 4_000; i++) {
                    fail("group " + (first + i % 80)); // 200 groups: twice as many as are tracked
                    reported.incrementAndGet();
                    if (i % 500 == 0) {
                        timer.advance(20 * SECOND);
                        TestKit.yieldToOthers();
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        timer.advance(60 * SECOND);
        for (int i = 0; i < 200; i++) {
            fail("group " + i);
            reported.incrementAndGet();
        }
        timer.advance(60 * SECOND);
        for (int i = 0; i < Faults.MAX_TRACKED; i++) { // forgets all lines, and then logs the number
            fail("last " + i);
            reported.incrementAndGet();
        }
        Pattern number = Pattern.compile("(\\d+) (more since|of other kinds)");
        long logged = 0;
        for (String line : log.lines("")) {
            logged++;
            for (Matcher m = number.matcher(line); m.find(); ) {
                logged += Long.parseLong(m.group(1));
            }
        }
        assertThat(logged).isEqualTo(reported.get());
    }
}
