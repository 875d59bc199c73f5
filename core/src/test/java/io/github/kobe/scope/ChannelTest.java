package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.kobe.TestKit.Caller;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Does a channel hand over each element once, in order, and never more than it may hold? */
@Timeout(60)
class ChannelTest {

    private final Channel<Integer> channel = Channel.bounded(2);

    @Test
    void elementsAreReceivedInTheOrderOfSending() {
        channel.send(1);
        channel.send(2);
        assertThat(channel.receive()).isEqualTo(1);
        channel.send(3);
        assertThat(List.of(channel.receive(), channel.receive())).containsExactly(2, 3);
    }

    @Test
    void sendBlocksWhileTheChannelIsFull() throws Exception {
        channel.send(1);
        channel.send(2);
        Caller<Boolean> sender = Caller.of(() -> {
            channel.send(3);
            return true;
        });
        sender.awaitWaiting();
        assertThat(channel).hasToString("channel 2/2, open");
        assertThat(channel.receive()).isEqualTo(1);
        assertThat(sender.result()).isTrue();
        assertThat(channel.receive()).isEqualTo(2);
        assertThat(channel.receive()).isEqualTo(3);
    }

    @Test
    void receiveBlocksWhileTheChannelIsEmpty() throws Exception {
        Caller<Integer> receiver = Caller.of(channel::receive);
        receiver.awaitWaiting();
        channel.send(1);
        assertThat(receiver.result()).isEqualTo(1);
    }

    @Test
    void closedChannelRejectsSendsAndDeliversBufferedElements() {
        channel.send(1);
        assertThat(channel.isClosed()).isFalse();
        channel.close();
        channel.close();
        assertThat(channel.isClosed()).isTrue();
        assertThat(channel).hasToString("channel 1/2, closed");
        assertThatThrownBy(() -> channel.send(2)).isInstanceOf(ChannelClosedException.class);
        assertThat(channel.receive()).isEqualTo(1);
        assertThatThrownBy(channel::receive).isInstanceOf(ChannelClosedException.class);
    }

    @Test
    void closeWakesAllWaiters() throws Exception {
        Channel<Integer> empty = Channel.bounded(1);
        channel.send(1);
        channel.send(2);
        List<Caller<Throwable>> waiting = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            waiting.add(Caller.of(() -> catchThrowable(() -> channel.send(3))));
            waiting.add(Caller.of(() -> catchThrowable(empty::receive)));
        }
        waiting.forEach(Caller::awaitWaiting);
        channel.close();
        empty.close();
        for (Caller<Throwable> caller : waiting) {
            assertThat(caller.result()).isInstanceOf(ChannelClosedException.class);
        }
        assertThat(channel.receive()).isEqualTo(1);
        assertThat(channel.receive()).isEqualTo(2);
    }

    @Test
    void interruptedWaiterReturnsAndKeepsItsInterruptFlag() throws Exception {
        channel.send(1);
        channel.send(2);
        Caller<String> sender = Caller.of(() -> {
            Throwable thrown = catchThrowable(() -> channel.send(3));
            return thrown.getClass().getSimpleName() + Thread.currentThread().isInterrupted();
        });
        sender.interruptWhenWaiting();
        assertThat(sender.result()).isEqualTo("CancelledExceptiontrue");
        Channel<Integer> empty = Channel.bounded(1);
        Caller<String> receiver = Caller.of(() -> {
            Throwable thrown = catchThrowable(empty::receive);
            return thrown.getClass().getSimpleName() + Thread.currentThread().isInterrupted();
        });
        receiver.interruptWhenWaiting();
        assertThat(receiver.result()).isEqualTo("CancelledExceptiontrue");
        assertThat(channel).hasToString("channel 2/2, open");
    }

    @Test
    void taskCancelledWhileItWaitsCompletesCancelled() {
        try (ThreadScope scope = ThreadScope.open()) {
            Task<Integer> task = scope.submit(channel::receive);
            scope.token().cancel();
            assertThatThrownBy(task::await).isInstanceOf(CancelledException.class);
        }
    }

    @Test
    void iterationStopsWhenTheChannelIsClosedAndEmpty() {
        try (ThreadScope scope = ThreadScope.open()) {
            scope.submit(() -> {
                for (int i = 0; i < 100; i++) {
                    channel.send(i);
                }
                channel.close();
                return null;
            });
            List<Integer> received = new ArrayList<>();
            for (int element : channel) {
                received.add(element);
            }
            assertThat(received).hasSize(100).isSorted();
        }
    }

    @Test
    void hasNextKeepsTheElementUntilNextReturnsIt() {
        channel.send(1);
        channel.close();
        Iterator<Integer> iterator = channel.iterator();
        assertThat(iterator.hasNext()).isTrue();
        assertThat(iterator.hasNext()).isTrue();
        assertThat(iterator.next()).isEqualTo(1);
        assertThat(iterator.hasNext()).isFalse();
        assertThatThrownBy(iterator::next).isInstanceOf(NoSuchElementException.class);
    }

    @Test
    void concurrentSendersAndReceiversNeitherLoseNorDuplicateElements() {
        Queue<Integer> received = new ConcurrentLinkedQueue<>();
        try (ThreadScope scope = ThreadScope.open()) {
            List<Task<Boolean>> senders = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                int from = i * 500;
                senders.add(scope.submit(() -> {
                    for (int j = from; j < from + 500; j++) {
                        channel.send(j);
                    }
                    return true;
                }));
                scope.submit(() -> {
                    channel.forEach(received::add);
                    return true;
                });
            }
            scope.await(senders);
            channel.close();
            Task<Boolean> last = scope.submit(() -> {
                channel.forEach(received::add);
                return true;
            });
            last.await();
            io.github.kobe.TestKit.eventually(() -> assertThat(received).hasSize(2_000));
        }
        assertThat(received).doesNotHaveDuplicates();
    }

    @Test
    void capacityLessThanOneThrows() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Channel.bounded(0))
                .withMessageContainingAll("capacity", "0");
    }
}
