package io.github.kobe.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Does a check go over every key with running tasks, once? */
class RunningKeysTest {

    private final RunningKeys keys = new RunningKeys();
    private final List<KeyState> checked = new ArrayList<>();

    private KeyState started() {
        KeyState key = new KeyState();
        key.running = 1;
        keys.add(key);
        return key;
    }

    private List<KeyState> check(int most) {
        checked.clear();
        keys.beginCheck();
        while (keys.check(most, checked::add)) {
            assertThat(keys.isEmpty()).isFalse();
        }
        return checked;
    }

    @Test
    void everyRunningKeyIsCheckedOnceEachTime() {
        KeyState a = started();
        KeyState b = started();
        keys.add(a); // a second task
        assertThat(check(10)).containsExactlyInAnyOrder(a, b);
        assertThat(check(10)).containsExactlyInAnyOrder(a, b);
        assertThat(check(1)).as("in steps").containsExactlyInAnyOrder(a, b);
    }

    @Test
    void keyWithoutRunningTaskIsRemovedByTheCheck() {
        KeyState a = started();
        a.running = 0;
        assertThat(keys.isEmpty()).isFalse();
        assertThat(check(10)).isEmpty();
        assertThat(keys.isEmpty()).isTrue();
        a.running = 1;
        keys.add(a);
        assertThat(check(10)).containsExactly(a);
    }

    @Test
    void keyThatIsAddedDuringACheckWaitsForTheNext() {
        KeyState a = started();
        KeyState b = started();
        keys.beginCheck();
        assertThat(keys.check(1, checked::add)).isTrue();
        KeyState late = started();
        assertThat(keys.check(10, checked::add)).isFalse();
        assertThat(checked).containsExactlyInAnyOrder(a, b);
        assertThat(check(10)).containsExactlyInAnyOrder(a, b, late);
    }

    @Test
    void interruptedCheckIsContinued() {
        KeyState a = started();
        KeyState b = started();
        keys.beginCheck();
        keys.check(1, checked::add);
        keys.beginCheck();
        assertThat(keys.check(10, checked::add)).isFalse();
        assertThat(checked).containsExactlyInAnyOrder(a, b);
    }
}
