package io.github.kobe.redis;

import io.github.kobe.fleet.FleetRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The names of keys and channels of one shard. All keys have the same hash tag, so they are in one slot of a cluster. Immutable. */
final class ShardKeys {

    static final String PREFIX = "kobe:v1:";

    private static final Pattern FLEET = Pattern.compile("[A-Za-z0-9._-]{1,100}");

    private final String prefix;

    /**
     * @param fleet the name of the fleet
     * @param shard the number of the shard
     * @throws IllegalArgumentException if the name of the fleet has other characters than a hash tag can have
     */
    ShardKeys(String fleet, int shard) {
        if (!FLEET.matcher(fleet).matches()) {
            throw new IllegalArgumentException(
                    "fleet must be 1 to 100 of A-Z a-z 0-9 . _ -, but is '" + LogText.of(fleet) + "'");
        }
        this.prefix = PREFIX + "{" + fleet + "#" + shard + "}:";
    }

    String meta() {
        return prefix + "meta";
    }

    /** Returns the channel on which pushes for a session come. */
    String channel(String session) {
        return prefix + "push:" + session;
    }

    /** Returns the session of a channel. */
    String sessionOf(String channel) {
        return channel.substring((prefix + "push:").length());
    }

    /** Returns the keys that the script of a call declares, in the order in which it expects them. */
    List<String> of(FleetRequest request) {
        List<String> keys = new ArrayList<>(
                List.of(meta(), prefix + "sessions", prefix + "config", prefix + "pushed", prefix + "nodes"));
        switch (request) {
            case FleetRequest.Hello hello -> keys.add(session(hello.session()));
            case FleetRequest.Exchange exchange -> {
                addSession(keys, exchange.session());
                exchange.claims().forEach(claim -> keys.add(group(claim.group())));
            }
            case FleetRequest.Reap reap -> {
                addSession(keys, reap.expired());
                reap.groups().forEach(name -> keys.add(group(name)));
            }
            case FleetRequest.Bye bye -> addSession(keys, bye.session());
            case FleetRequest.Configure configure -> keys.add(group(configure.group()));
            case FleetRequest.Look look -> {
                look.sessions().forEach(name -> keys.add(groupsOf(name)));
                look.groups().forEach(name -> keys.add(group(name)));
            }
        }
        return keys;
    }

    private void addSession(List<String> keys, String session) {
        keys.add(session(session));
        keys.add(groupsOf(session));
    }

    private String session(String session) {
        return prefix + "session:" + session;
    }

    private String groupsOf(String session) {
        return prefix + "groups:" + session;
    }

    private String group(String group) {
        return prefix + "group:" + group;
    }
}
