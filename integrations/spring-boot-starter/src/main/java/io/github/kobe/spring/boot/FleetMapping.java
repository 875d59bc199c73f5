package io.github.kobe.spring.boot;

import io.github.kobe.fleet.Fleet;
import io.github.kobe.fleet.FleetStore;
import io.github.kobe.fleet.InMemoryStore;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/** Turns properties into a fleet. A value that is out of range is reported with its property. */
final class FleetMapping {

    /** What the properties begin with. */
    static final String PATH = GroupConcurrencyProperties.PREFIX + ".fleet";

    private FleetMapping() {}

    static Fleet fleet(GroupConcurrencyProperties.Fleet from, FleetStore store) {
        String name = from.name();
        if (name == null || name.isBlank()) {
            throw new ConfigurationMistakeException(
                    "Property '" + PATH + ".name' is not set, although there are other properties of a fleet.",
                    "Set '" + PATH
                            + ".name' to the name of the fleet, which is the same on all instances of the application.",
                    null);
        }
        check(name, from);
        return builder(name, from, store).join();
    }

    /** Joins a fleet of its own after each property, because a builder checks its settings when it joins. */
    private static void check(String name, GroupConcurrencyProperties.Fleet from) {
        FleetStore own = new InMemoryStore();
        CheckedProperties names = new CheckedProperties(ConfigurationPropertyName.of(PATH), () -> {});
        Fleet.Builder to = names.convert("name", name, text -> Fleet.builder(text, own));
        CheckedProperties properties = new CheckedProperties(
                ConfigurationPropertyName.of(PATH), () -> to.join().close());
        properties.set("node", from.node(), to::node);
        properties.set("ttl", from.ttl(), to::ttl);
        properties.set("heartbeat", from.heartbeat(), to::heartbeat);
        properties.set("quantum", from.quantum(), to::quantum);
        properties.set("linger", from.linger(), to::linger);
        properties.set("reclaim-after", from.reclaimAfter(), to::reclaimAfter);
        properties.set("configuration-version", from.configurationVersion(), to::configurationVersion);
        properties.set("total-limit", from.totalLimit(), to::totalLimit);
    }

    private static Fleet.Builder builder(String name, GroupConcurrencyProperties.Fleet from, FleetStore store) {
        Fleet.Builder to = Fleet.builder(name, store)
                .ttl(from.ttl())
                .quantum(from.quantum())
                .linger(from.linger())
                .reclaimAfter(from.reclaimAfter())
                .whenUnreachable(from.whenUnreachable())
                .onLeaseLost(from.onLeaseLost())
                .configurationVersion(from.configurationVersion())
                .founding(from.founding());
        if (from.node() != null) {
            to.node(from.node());
        }
        if (from.heartbeat() != null) {
            to.heartbeat(from.heartbeat());
        }
        if (from.totalLimit() != null) {
            to.totalLimit(from.totalLimit());
        }
        return to;
    }
}
