package io.github.kobe.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.kobe.fleet.FleetRequest.Bye;
import io.github.kobe.fleet.FleetRequest.Configure;
import io.github.kobe.fleet.FleetRequest.Exchange;
import io.github.kobe.fleet.FleetRequest.Hello;
import io.github.kobe.fleet.FleetRequest.Look;
import io.github.kobe.fleet.FleetRequest.Reap;
import io.github.kobe.fleet.FleetRequest.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Is a message that cannot be right refused, with the name and the value? */
class ProtocolTest {

    private static Arguments row(String message, ThrowingCallable call) {
        return Arguments.of(message, call);
    }

    static Stream<Arguments> wrongNumbers() {
        return Stream.of(
                row("limit must be at least 1, but is 0", () -> new Claim("g", 0, 0, 0, 0, 0, 0, 0)),
                row("version must be at least 0, but is -1", () -> new Claim("g", 1, -1, 0, 0, 0, 0, 0)),
                row("keep must be at least 0, but is -1", () -> new Claim("g", 1, 0, 0, -1, 0, 0, 0)),
                row("known must be at least 3, but is 2", () -> new Claim("g", 1, 0, 2, 3, 0, 0, 0)),
                row("used must be at least 0, but is -2", () -> new Claim("g", 1, 0, 0, 0, -2, 0, 0)),
                row("wanted must be at least 0, but is -3", () -> new Claim("g", 1, 0, 0, 0, 0, -3, 0)),
                row("ttl must be at least 8, but is 7", () -> new Hello("s", 1, "n", 7, 0, 1, false)),
                row("reclaimAfter must be at least 0, but is -1", () -> new Hello("s", 1, "n", 8, -1, 1, false)),
                row("shards must be at least 1, but is 0", () -> new Hello("s", 1, "n", 8, 0, 0, false)),
                row(
                        "value of LIMIT must be between 1 and 2147483647, or -1, but is 0",
                        () -> new Configure("g", Setting.LIMIT, 0, 1)),
                row(
                        "value of PAUSED must be between 0 and 1, or -1, but is 2",
                        () -> new Configure("g", Setting.PAUSED, 2, 1)),
                row("number of names must be at most 64, but is 65", () -> new Reap("i", "s", names(65))),
                row("number of names must be at most 64, but is 65", () -> new Look(names(65), List.of())),
                row("number of names must be at most 64, but is 65", () -> new Look(List.of(), names(65))),
                row("names must be distinct, but is 2", () -> new Reap("i", "s", List.of("g", "g"))));
    }

    private static List<String> names(int count) {
        return IntStream.range(0, count).mapToObj(i -> "g" + i).toList();
    }

    @ParameterizedTest
    @MethodSource("wrongNumbers")
    void numberOutOfRangeIsRefused(String message, ThrowingCallable call) {
        assertThatIllegalArgumentException().isThrownBy(call).withMessage(message);
    }

    static Stream<Arguments> nulls() {
        return Stream.of(
                row("group", () -> new Claim(null, 1, 0, 0, 0, 0, 0, 0)),
                row("group", () -> new Grant(null, 1, 1, 1, 1, false)),
                row("session", () -> new FleetPush(null, 1, List.of())),
                row("grants", () -> new FleetPush("s", 1, null)),
                row("session", () -> new Hello(null, 1, "n", 8, 0, 1, false)),
                row("node", () -> new Hello("s", 1, null, 8, 0, 1, false)),
                row("session", () -> new Exchange(null, 1, "i", true, List.of())),
                row("incarnation", () -> new Exchange("s", 1, null, true, List.of())),
                row("claims", () -> new Exchange("s", 1, "i", true, null)),
                row("incarnation", () -> new Reap(null, "s", List.of())),
                row("expired", () -> new Reap("i", null, List.of())),
                row("groups", () -> new Reap("i", "s", null)),
                row("session", () -> new Bye(null, 1, "i")),
                row("incarnation", () -> new Bye("s", 1, null)),
                row("group", () -> new Configure(null, Setting.LIMIT, 1, 1)),
                row("setting", () -> new Configure("g", null, 1, 1)),
                row("sessions", () -> new Look(null, List.of())),
                row("groups", () -> new Look(List.of(), null)),
                row("incarnation", () -> new FleetReply.Joined(null, 0, 1)),
                row("expired", () -> new FleetReply.Exchanged(0, 1, 0, null, List.of())),
                row("grants", () -> new FleetReply.Exchanged(0, 1, 0, "", null)),
                row("grants", () -> new FleetReply.Granted(null)),
                row("incarnation", () -> new FleetReply.Rejoin(null)),
                row("reason", () -> new FleetReply.Refused(null)),
                row("groups", () -> new FleetReply.Reaped(false, null)),
                row("incarnation", () -> new FleetReply.Snapshot(null, 0, 0, List.of(), List.of())),
                row("sessions", () -> new FleetReply.Snapshot("i", 0, 0, null, List.of())),
                row("groups", () -> new FleetReply.Snapshot("i", 0, 0, List.of(), null)),
                row("session", () -> new FleetReply.SessionSnapshot(null, "n", 0, List.of())),
                row("node", () -> new FleetReply.SessionSnapshot("s", null, 0, List.of())),
                row("groups", () -> new FleetReply.SessionSnapshot("s", "n", 0, null)),
                row("group", () -> new FleetReply.GroupSnapshot(null, 1, 0, false, List.of())),
                row("holdings", () -> new FleetReply.GroupSnapshot("g", 1, 0, false, null)),
                row("session", () -> new FleetReply.Holding(null, 0, 0, 0)),
                row("millis", () -> new InMemoryStore(null)),
                row("fleet", () -> new InMemoryStore().connect(null, null)),
                row("listener", () -> new InMemoryStore().connect("f", null)));
    }

    @ParameterizedTest
    @MethodSource("nulls")
    void nullIsRefusedWithTheNameOfTheParameter(String parameter, ThrowingCallable call) {
        assertThatNullPointerException().isThrownBy(call).withMessage(parameter);
    }

    @Test
    void listsAreCopied() {
        List<String> groups = new ArrayList<>(List.of("g"));
        Reap reap = new Reap("i", "s", groups);
        groups.clear();
        assertThat(reap.groups()).containsExactly("g");
    }
}
