package io.github.kobe.redis;

import io.github.kobe.fleet.FleetReply.GroupSnapshot;
import io.github.kobe.fleet.FleetReply.SessionSnapshot;
import io.github.kobe.fleet.FleetReply.Snapshot;
import io.github.kobe.fleet.FleetRequest;
import io.github.kobe.fleet.FleetRequest.Look;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * What the store knows of a fleet: all shards, sessions and groups. It is read in several calls, so it is not one moment if there are many groups. Changes nothing. Immutable.
 *
 * @param servers where it was read
 * @param ttl the TTL in milliseconds
 * @param shards one for each shard
 */
record FleetSnapshot(String servers, long ttl, List<Shard> shards) {

    /**
     * One shard.
     *
     * @param number the shard, from 0
     * @param learning for so many milliseconds nobody gets permits
     * @param sessions all sessions, with their groups
     * @param groups all groups that are in use, in the order of their names
     */
    record Shard(int number, long learning, List<SessionSnapshot> sessions, List<GroupSnapshot> groups) {}

    FleetSnapshot {
        shards = List.copyOf(shards);
    }

    /**
     * Reads a fleet.
     *
     * @throws IllegalStateException if there is none, or it cannot be read; the message says why
     */
    static FleetSnapshot read(RedisStore store, String fleet) throws InterruptedException {
        try (Servers servers = store.servers()) {
            Reader reader = new Reader(servers, fleet);
            Map<String, String> meta = reader.meta();
            String shards = meta.get("shards");
            if (shards == null) {
                throw new IllegalStateException("there is no fleet '" + fleet + "' at " + servers);
            }
            List<Shard> snapshots = new ArrayList<>();
            for (int shard = 0; shard < Integer.parseInt(shards); shard++) {
                snapshots.add(reader.shard(shard));
            }
            return new FleetSnapshot(servers.toString(), Long.parseLong(meta.getOrDefault("ttl", "0")), snapshots);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new IllegalStateException("cannot read " + store + ": " + ShardConnection.reason(cause), e);
        } catch (TimeoutException e) {
            throw new IllegalStateException("cannot read " + store + ": no answer", e);
        }
    }

    /** Calls the scripts of one fleet. */
    private static final class Reader {
        private final Servers servers;
        private final String fleet;
        private final Scripts scripts = Scripts.standard();

        Reader(Servers servers, String fleet) {
            this.servers = servers;
            this.fleet = fleet;
        }

        Map<String, String> meta() throws InterruptedException, ExecutionException, TimeoutException {
            ShardKeys keys = new ShardKeys(fleet, 0);
            Link link = open(keys);
            return await(link.fields(keys.meta()));
        }

        private Link open(ShardKeys keys) throws InterruptedException, ExecutionException, TimeoutException {
            return await(servers.open(keys.meta(), info -> null));
        }

        Shard shard(int number) throws InterruptedException, ExecutionException, TimeoutException {
            ShardKeys keys = new ShardKeys(fleet, number);
            Link link = open(keys);
            Snapshot first = look(link, keys, List.of(), List.of());
            List<SessionSnapshot> sessions = new ArrayList<>();
            for (List<String> names : parts(
                    first.sessions().stream().map(SessionSnapshot::session).toList())) {
                look(link, keys, names, List.of()).sessions().stream()
                        .filter(session -> names.contains(session.session()))
                        .forEach(sessions::add);
            }
            TreeSet<String> used = new TreeSet<>();
            sessions.forEach(session -> used.addAll(session.groups()));
            List<GroupSnapshot> groups = new ArrayList<>();
            for (List<String> names : parts(used)) {
                groups.addAll(look(link, keys, List.of(), names).groups());
            }
            return new Shard(number, first.learning(), sessions, groups);
        }

        private Snapshot look(Link link, ShardKeys keys, List<String> sessions, List<String> groups)
                throws InterruptedException, ExecutionException, TimeoutException {
            Look look = new Look(sessions, groups);
            return (Snapshot) Answers.read(look, await(link.run(scripts.of(look), keys.of(look), Arguments.of(look))));
        }

        private static List<List<String>> parts(Collection<String> names) {
            List<String> all = List.copyOf(names);
            List<List<String>> parts = new ArrayList<>();
            for (int from = 0; from < all.size(); from += FleetRequest.MAX_GROUPS) {
                parts.add(all.subList(from, Math.min(all.size(), from + FleetRequest.MAX_GROUPS)));
            }
            return parts;
        }

        private <T> T await(CompletionStage<T> answer)
                throws InterruptedException, ExecutionException, TimeoutException {
            CompletableFuture<T> future = answer.toCompletableFuture();
            return future.get(3 * servers.timeout().toMillis(), TimeUnit.MILLISECONDS);
        }
    }
}
