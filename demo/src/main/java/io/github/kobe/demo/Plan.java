package io.github.kobe.demo;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

/** Who submits what, and when. Depends on nothing but its arguments. */
final class Plan {

    /** Submissions stop early, so that what waits by then can finish within the time asked for. */
    private static final double SHARE_WITH_TRAFFIC = 0.9;

    /** One task: submitted {@code atMillis} into the show, busy for {@code workMillis}. */
    record Arrival(int atMillis, String groupKey, String taskId, int workMillis) {}

    private Plan() {}

    static List<Arrival> of(List<Tenant> tenants, int seconds, long seed) {
        Random random = new Random(seed);
        int until = (int) (seconds * 1000 * SHARE_WITH_TRAFFIC);
        List<Arrival> plan = new ArrayList<>();
        for (Tenant tenant : tenants) {
            add(plan, tenant, 0, tenant.backlog() * seconds, random);
            if (tenant.everyMillis() > 0) {
                for (int at = 0; at < until; at += jittered(tenant.everyMillis(), random)) {
                    add(plan, tenant, at, tenant.batch(), random);
                }
            }
        }
        plan.sort(Comparator.comparingInt(Arrival::atMillis));
        return List.copyOf(plan);
    }

    private static void add(List<Arrival> plan, Tenant tenant, int at, int count, Random random) {
        for (int i = 0; i < count; i++) {
            int work = random.nextInt(tenant.leastWork(), tenant.mostWork() + 1);
            plan.add(new Arrival(at, tenant.key(), tenant.key() + "-" + plan.size(), work));
        }
    }

    /** Within a quarter of {@code millis}, either way. */
    private static int jittered(int millis, Random random) {
        return millis - millis / 4 + random.nextInt(millis / 2 + 1);
    }
}
