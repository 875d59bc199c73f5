package io.github.kobe;

import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import io.github.kobe.pool.WorkerPool;
import java.util.concurrent.CountDownLatch;

/** A program that uses the library where there may be no flight recorder. */
final class WithoutFlightRecorder {

    private WithoutFlightRecorder() {}

    public static void main(String[] args) throws Exception {
        GroupPolicy policy = GroupPolicy.builder()
                .defaultQueueThresholdPerGroup(0)
                .rejectionPolicy(RejectionPolicy.DISCARD)
                .build();
        StringBuilder text = new StringBuilder("jdk.jfr: ")
                .append(ModuleLayer.boot().findModule("jdk.jfr").isPresent());
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy)) {
            CountDownLatch rejected = new CountDownLatch(1);
            TaskHandle<String> handle = executor.submit("g", "t", () -> {
                rejected.await();
                return "ran";
            });
            executor.submit("g", "t", () -> "never");
            rejected.countDown();
            executor.setMaxConcurrency("g", 2);
            text.append(", ").append(handle.get());
            text.append(", rejected ").append(executor.stats().counts().rejected());
        }
        try (WorkerPool pool = WorkerPool.builder().name("jobs").maxWorkers(2).build()) {
            pool.setMaxWorkers(3);
            text.append(", jobs ").append(pool.submit(() -> "ran").get());
        }
        try (IsolationExecutor executor =
                IsolationExecutor.create(IsolationPolicy.builder().build())) {
            text.append(", tenants ").append(executor.submit("k", () -> "ran").get());
        }
        System.out.println(text);
    }
}
