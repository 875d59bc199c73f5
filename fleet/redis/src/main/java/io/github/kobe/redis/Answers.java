package io.github.kobe.redis;

import io.github.kobe.fleet.Claim;
import io.github.kobe.fleet.FleetPush;
import io.github.kobe.fleet.FleetReply;
import io.github.kobe.fleet.FleetReply.GroupSnapshot;
import io.github.kobe.fleet.FleetReply.Holding;
import io.github.kobe.fleet.FleetReply.SessionSnapshot;
import io.github.kobe.fleet.FleetRequest;
import io.github.kobe.fleet.Grant;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Reads what scripts answer, and what they push. */
final class Answers {

    private static final int NUMBERS_OF_A_GRANT = 4;

    private Answers() {}

    /**
     * Reads the answer of a script.
     *
     * @param request the call that was answered
     * @param answer strings, {@link Long}s and lists
     * @throws IllegalArgumentException if it is not an answer to this call
     */
    static FleetReply read(FleetRequest request, List<?> answer) {
        try {
            return switch ((String) answer.getFirst()) {
                case "joined" ->
                    new FleetReply.Joined((String) answer.get(1), number(answer.get(2)), (int) number(answer.get(3)));
                case "exchanged" -> exchanged((FleetRequest.Exchange) request, answer);
                case "granted" -> new FleetReply.Granted(grants((FleetRequest.Exchange) request, answer, 1));
                case "rejoin" -> new FleetReply.Rejoin((String) answer.get(1));
                case "old" -> new FleetReply.Old(number(answer.get(1)));
                case "refused" ->
                    new FleetReply.Refused(
                            "the fleet has " + answer.get(1) + " shards, but the node has " + answer.get(2));
                case "reaped" ->
                    new FleetReply.Reaped(number(answer.get(1)) == 1, sorted(answer.subList(2, answer.size())));
                case "configured" -> new FleetReply.Configured(number(answer.get(1)) == 1, number(answer.get(2)));
                case "snapshot" -> snapshot((FleetRequest.Look) request, answer);
                default -> throw new IllegalArgumentException("no such answer");
            };
        } catch (RuntimeException e) {
            throw new IllegalArgumentException(
                    "cannot read the answer of the store: " + LogText.of(answer.toString()), e);
        }
    }

    private static FleetReply exchanged(FleetRequest.Exchange exchange, List<?> answer) {
        return new FleetReply.Exchanged(
                number(answer.get(1)),
                (int) number(answer.get(2)),
                number(answer.get(3)),
                (String) answer.get(4),
                grants(exchange, answer, 5));
    }

    /** @param from the index of the first number of the first grant */
    private static List<Grant> grants(FleetRequest.Exchange exchange, List<?> answer, int from) {
        List<Grant> grants = new ArrayList<>();
        int at = from;
        for (Claim claim : exchange.claims()) {
            List<?> numbers = answer.subList(at, at + NUMBERS_OF_A_GRANT);
            grants.add(new Grant(
                    claim.group(),
                    exchange.seq(),
                    (int) number(numbers.get(0)),
                    (int) number(numbers.get(1)),
                    (int) number(numbers.get(2)),
                    number(numbers.get(3)) == 1));
            at += NUMBERS_OF_A_GRANT;
        }
        return grants;
    }

    private static FleetReply snapshot(FleetRequest.Look look, List<?> answer) {
        List<SessionSnapshot> sessions = new ArrayList<>();
        for (Object part : (List<?>) answer.get(4)) {
            List<?> session = (List<?>) part;
            sessions.add(new SessionSnapshot(
                    (String) session.get(0), (String) session.get(1), number(session.get(2)), sorted((List<?>)
                            session.get(3))));
        }
        sessions.sort(Comparator.comparing(SessionSnapshot::session));
        List<GroupSnapshot> groups = new ArrayList<>();
        for (Object part : (List<?>) answer.get(5)) {
            List<?> group = (List<?>) part;
            String name = look.groups().get((int) number(group.get(0)) - 1);
            groups.add(new GroupSnapshot(
                    name, (int) number(group.get(1)), number(group.get(2)), number(group.get(3)) == 1, holdings((List<
                                    ?>)
                            group.get(4))));
        }
        return new FleetReply.Snapshot(
                (String) answer.get(1), number(answer.get(2)), number(answer.get(3)), sessions, groups);
    }

    private static List<Holding> holdings(List<?> parts) {
        List<Holding> holdings = new ArrayList<>();
        for (Object part : parts) {
            List<?> holding = (List<?>) part;
            holdings.add(new Holding(
                    (String) holding.get(0), (int) number(holding.get(1)), (int) number(holding.get(2)), (int)
                            number(holding.get(3))));
        }
        holdings.sort(Comparator.comparing(Holding::session));
        return holdings;
    }

    private static List<String> sorted(List<?> names) {
        return names.stream().map(String.class::cast).sorted().toList();
    }

    /** Numbers that do not fit into one of Lua come as strings. */
    private static long number(Object value) {
        return value instanceof Long number ? number : Long.parseLong((String) value);
    }

    /**
     * Reads a push: its number on the first line, then for each grant sequence number, granted, target, limit, whether paused, the length of the
     * name in bytes, and the name, which may contain anything.
     *
     * @throws IllegalArgumentException if it is not a push
     */
    static FleetPush readPush(String session, byte[] message) {
        try {
            int at = indexOf((byte) '\n', message, 0);
            long number = Long.parseLong(text(message, 0, at));
            List<Grant> grants = new ArrayList<>();
            while (at < message.length) {
                long[] numbers = new long[6];
                for (int i = 0; i < numbers.length; i++) {
                    int from = at + 1;
                    at = indexOf((byte) ' ', message, from);
                    numbers[i] = Long.parseLong(text(message, from, at));
                }
                int end = Math.addExact(at + 1, Math.toIntExact(numbers[5]));
                String group = text(message, at + 1, end);
                grants.add(new Grant(
                        group, numbers[0], (int) numbers[1], (int) numbers[2], (int) numbers[3], numbers[4] == 1));
                at = end;
            }
            return new FleetPush(session, number, grants);
        } catch (RuntimeException e) {
            throw new IllegalArgumentException(
                    "cannot read a push: " + LogText.of(new String(message, StandardCharsets.UTF_8)), e);
        }
    }

    private static int indexOf(byte sought, byte[] bytes, int from) {
        for (int i = from; i < bytes.length; i++) {
            if (bytes[i] == sought) {
                return i;
            }
        }
        throw new IllegalArgumentException("it ends too early");
    }

    private static String text(byte[] bytes, int from, int to) {
        if (to > bytes.length) {
            throw new IllegalArgumentException("it ends too early");
        }
        return new String(bytes, from, to - from, StandardCharsets.UTF_8);
    }
}
