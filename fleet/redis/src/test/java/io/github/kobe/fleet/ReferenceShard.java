package io.github.kobe.fleet;

import java.util.List;
import java.util.TreeMap;

/** The specification of a shard, as the core has it, for comparison with a store. Not thread-safe. */
public final class ReferenceShard {

    private final ShardState state = new ShardState();

    /** What a call gives. */
    public record Result(FleetReply reply, List<FleetPush> pushes) {}

    /** Executes a call. */
    public Result call(FleetRequest request, long time, String run) {
        ShardState.Result result = state.call(request, time, run);
        return new Result(result.reply(), result.pushes());
    }

    /** Returns the whole state, in a form in which stores can be compared: by the names of keys without their prefix. */
    public TreeMap<String, String> dump() {
        TreeMap<String, String> dump = new TreeMap<>();
        if (state.incarnation.isEmpty()) {
            return dump;
        }
        dump.put(
                "meta",
                String.join(
                        " ",
                        state.incarnation,
                        Long.toString(state.ttl),
                        Long.toString(state.clock),
                        Long.toString(state.learnUntil)));
        dump.put("config", "version " + state.configVersion);
        state.limits.forEach((group, limit) -> dump.put("config limit:" + group, Integer.toString(limit)));
        state.paused.forEach(group -> dump.put("config paused:" + group, "1"));
        state.sessions.forEach((name, s) -> {
            dump.put(
                    "session:" + name,
                    s.node + " " + s.seq + " " + s.reclaimAfter + " " + (s.dead ? 1 : 0) + " " + s.until + " "
                            + s.pushed);
            if (!s.groups.isEmpty()) {
                dump.put("groups:" + name, s.groups.toString());
            }
        });
        state.groups.forEach((name, group) -> {
            dump.put("group:" + name, group.limit + " " + group.version + " " + group.turns);
            group.entries.forEach((session, e) -> dump.put(
                    "group:" + name + " s:" + session,
                    e.granted + " " + e.debt + " " + e.wanted + " " + e.used + " " + e.seq + " " + e.turn + " "
                            + e.target));
        });
        return dump;
    }
}
