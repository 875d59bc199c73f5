package io.github.kobe.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When is the thread of a stream interrupted? */
@Timeout(60)
class StreamsTest {

    private static final String CLIENT = "client";

    private final Streams streams = new Streams(Duration.ofHours(1), Duration.ofHours(1));

    @AfterEach
    void clearInterrupt() {
        boolean ignored = Thread.interrupted();
    }

    /** As the same client does in a later request. Keeps the flag of an interrupt. */
    private static void openOnAnotherThread(Streams streams) {
        CompletableFuture.runAsync(
                        () -> {
                            try (Streams.Stream stream = streams.tryOpen(CLIENT)) {
                                assertThat(stream).isNotNull();
                            }
                        },
                        task -> Thread.ofVirtual().start(task))
                .join();
    }

    @Test
    void streamThatWaitsIsInterruptedByTheNextOneOfItsClient() {
        try (Streams.Stream stream = streams.tryOpen(CLIENT)) {
            assertThat(stream.beginWrite()).isTrue();
            assertThat(stream.endWrite()).isTrue();
            openOnAnotherThread(streams);
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            assertThat(stream.beginWrite()).isFalse();
            stream.beginEnd();
            assertThat(Thread.currentThread().isInterrupted())
                    .as("while the end is written")
                    .isFalse();
        }
    }

    /** An interrupt would close the connection, and the browser would report a response that is not complete. */
    @Test
    void streamThatWritesEndsAfterItsWrite() {
        try (Streams.Stream stream = streams.tryOpen(CLIENT)) {
            assertThat(stream.beginWrite()).isTrue();
            openOnAnotherThread(streams);
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            assertThat(streams.count()).as("those that end do not count").isZero();
            assertThat(stream.endWrite()).isFalse();
        }
        assertThat(streams.count()).isZero();
    }

    @Test
    void noMoreStreamsThanTheMaximumEndAfterTheirWrite() {
        List<Streams.Stream> all = new ArrayList<>();
        for (int i = 0; i <= Streams.MAX; i++) {
            Streams.Stream stream = streams.tryOpen(CLIENT);
            assertThat(stream.beginWrite()).isTrue();
            all.add(stream);
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        }
        openOnAnotherThread(streams);
        assertThat(Thread.interrupted()).isTrue();
        all.forEach(Streams.Stream::close);
    }

    @Test
    void closeLetsAStreamFinishItsWriteForAMoment() throws InterruptedException {
        Streams.Stream stream = streams.tryOpen(CLIENT);
        assertThat(stream.beginWrite()).isTrue();
        Thread closer = Thread.ofPlatform().start(streams::close);
        ConsoleKit.eventually(() -> assertThat(closer.getState()).isEqualTo(Thread.State.TIMED_WAITING));
        assertThat(stream.endWrite()).isFalse();
        stream.beginEnd();
        stream.close();
        closer.join();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(streams.count()).isZero();
    }

    @Test
    void stalledStreamIsInterruptedInItsWrite() {
        Streams impatient = new Streams(Duration.ZERO, Duration.ofHours(1));
        try (Streams.Stream stream = impatient.tryOpen(CLIENT)) {
            assertThat(stream.beginWrite()).isTrue();
            openOnAnotherThread(impatient);
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        }
        assertThat(Thread.currentThread().isInterrupted())
                .as("after it has left")
                .isFalse();
    }
}
