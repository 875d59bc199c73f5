package io.github.kobe.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.fleet.FleetRequest.Exchange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Does the kit for stores accept a right one, and find what is wrong with another one? */
class StoreComparisonTest {

    /** A second copy of the specification, with a fault. */
    private static final class Copy implements StoreComparison.Subject {
        private ShardState shard = new ShardState();
        private final List<FleetPush> pushes = new ArrayList<>();
        private final UnaryOperator<FleetRequest> read;
        private final UnaryOperator<FleetReply> answer;
        private final Function<List<FleetPush>, List<FleetPush>> send;
        private long time = 1_000_000;

        Copy(
                UnaryOperator<FleetRequest> read,
                UnaryOperator<FleetReply> answer,
                Function<List<FleetPush>, List<FleetPush>> send) {
            this.read = read;
            this.answer = answer;
            this.send = send;
        }

        @Override
        public StoreComparison.Answer call(FleetRequest request) {
            time++;
            ShardState.Result result = shard.call(read.apply(request), time, "run");
            pushes.addAll(send.apply(result.pushes()));
            return new StoreComparison.Answer(answer.apply(result.reply()), time, "run");
        }

        @Override
        public List<FleetPush> pushes(int expected) {
            List<FleetPush> sent = List.copyOf(pushes).reversed();
            pushes.clear();
            return sent;
        }

        @Override
        public void age(long millis) {
            shard.time -= shard.incarnation.isEmpty() ? 0 : millis;
        }

        @Override
        public void setRun(String run) {
            shard.run = shard.incarnation.isEmpty() ? shard.run : run;
        }

        @Override
        public void clear() {
            shard = new ShardState();
        }

        @Override
        public List<String> dump() {
            return StoreComparison.dump(shard).reversed();
        }
    }

    @Test
    void rightStoreIsAcceptedAndEveryKindOfAnswerOccurs() {
        Map<String, Integer> replies = new TreeMap<>();
        for (long seed = 0; seed < 60; seed++) {
            StoreComparison.run(seed, 200, new Copy(r -> r, r -> r, p -> p))
                    .forEach((kind, n) -> replies.merge(kind, n, Integer::sum));
        }
        assertThat(replies)
                .containsOnlyKeys(
                        "Joined",
                        "Exchanged",
                        "Granted",
                        "Rejoin",
                        "Old",
                        "Refused",
                        "Reaped",
                        "Configured",
                        "Snapshot")
                .allSatisfy((kind, n) -> assertThat(n).as(kind).isGreaterThan(20));
        assertThat(replies.get("Exchanged") + replies.get("Granted")).isGreaterThan(3_000);
    }

    /** Ways in which a store may be wrong. */
    enum Fault {
        USED_BY_ONE_MORE("data differs", Fault::useMore, r -> r, p -> p),
        GRANTED_BY_ONE_MORE("answer differs", r -> r, Fault::grantMore, p -> p),
        LOST_PUSHES("pushes differs", r -> r, r -> r, p -> List.of());

        final String difference;
        final UnaryOperator<FleetRequest> read;
        final UnaryOperator<FleetReply> answer;
        final Function<List<FleetPush>, List<FleetPush>> send;

        Fault(
                String difference,
                UnaryOperator<FleetRequest> read,
                UnaryOperator<FleetReply> answer,
                Function<List<FleetPush>, List<FleetPush>> send) {
            this.difference = difference;
            this.read = read;
            this.answer = answer;
            this.send = send;
        }

        private static FleetRequest useMore(FleetRequest request) {
            return request instanceof Exchange e
                    ? new Exchange(
                            e.session(),
                            e.seq(),
                            e.incarnation(),
                            e.renews(),
                            e.claims().stream()
                                    .map(c -> new Claim(
                                            c.group(),
                                            c.limit(),
                                            c.version(),
                                            c.known(),
                                            c.keep(),
                                            c.used() + 1,
                                            c.wanted(),
                                            0))
                                    .toList())
                    : request;
        }

        private static FleetReply grantMore(FleetReply reply) {
            return reply instanceof FleetReply.Exchanged e
                    ? new FleetReply.Exchanged(
                            e.learning(),
                            e.nodes(),
                            e.pushed(),
                            e.expired(),
                            e.grants().stream()
                                    .map(g -> new Grant(
                                            g.group(), g.seq(), g.granted() + 1, g.target(), g.limit(), g.paused()))
                                    .toList())
                    : reply;
        }
    }

    @ParameterizedTest
    @EnumSource
    void wrongStoreIsFound(Fault fault) {
        assertThatThrownBy(() -> {
                    for (long seed = 0; seed < 20; seed++) {
                        StoreComparison.run(seed, 200, new Copy(fault.read, fault.answer, fault.send));
                    }
                })
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("seed ")
                .hasMessageContaining(fault.difference)
                .hasMessageContaining("after\n");
    }
}
