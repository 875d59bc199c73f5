package io.github.kobe.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/** Who brings what, and when. Depends on nothing but its arguments, so that both sides get the same, and every run of a seed. */
final class Plan {

    /** Gaps differ from their mean by up to this part of it, lengths by less. */
    private static final double GAP_SPREAD = 0.25;

    private static final double LENGTH_SPREAD = 0.1;
    private static final double NANOS_PER_MILLI = 1e6;

    private Plan() {}

    /** In the order of arrival. */
    static List<Arrival> of(List<Traffic> traffic, Duration length, long seed) {
        SplittableRandom seeds = new SplittableRandom(seed);
        List<Arrival> plan = new ArrayList<>();
        for (int role = 0; role < traffic.size(); role++) {
            add(plan, role, traffic.get(role), length.toNanos(), seeds.split());
        }
        plan.sort(Comparator.comparingLong(Arrival::atNanos));
        return List.copyOf(plan);
    }

    private static void add(List<Arrival> plan, int role, Traffic traffic, long until, SplittableRandom random) {
        double gap = traffic.everyMillis() * NANOS_PER_MILLI;
        long at = (long) (random.nextDouble() * gap);
        while (at < until) {
            for (int i = 0; i < traffic.batch(); i++) {
                plan.add(new Arrival(at, role, lengths(traffic, random)));
            }
            at += varied(gap, GAP_SPREAD, random);
        }
    }

    private static List<Long> lengths(Traffic traffic, SplittableRandom random) {
        return traffic.lengthsMillis().stream()
                .map(millis -> varied(millis * NANOS_PER_MILLI, LENGTH_SPREAD, random))
                .toList();
    }

    private static long varied(double mean, double spread, SplittableRandom random) {
        return Math.max(1, (long) (mean * (1 + spread * (2 * random.nextDouble() - 1))));
    }
}
