package io.github.kobe.examples.spring;

import java.util.concurrent.CompletableFuture;
import org.springframework.scheduling.annotation.Async;
import org.springframework.stereotype.Service;

/** Creates reports in the background. */
@Service
public class ReportService {

    private final Warehouse warehouse;

    public ReportService(Warehouse warehouse) {
        this.warehouse = warehouse;
    }

    /** Queued reports need no thread. */
    @Async("reports")
    public CompletableFuture<String> create(String tenant) {
        return CompletableFuture.completedFuture(warehouse.fetch("report", tenant));
    }
}
