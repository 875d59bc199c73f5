package io.github.kobe.examples.spring;

import java.util.concurrent.CompletableFuture;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

/** The API. A real one would get the tenant from the credentials of the request. */
@RestController
class TenantController {

    private final OrderService orders;
    private final ReportService reports;
    private final Warehouse warehouse;

    TenantController(OrderService orders, ReportService reports, Warehouse warehouse) {
        this.orders = orders;
        this.reports = reports;
        this.warehouse = warehouse;
    }

    /** Limited by the annotation of the service. */
    @GetMapping("/orders")
    String orders(@RequestHeader("X-Tenant") String tenant) {
        return orders.ordersOf(tenant);
    }

    /** Limited by the filter, as application.yml says. */
    @GetMapping("/prices/today")
    String prices(@RequestHeader("X-Tenant") String tenant) {
        return warehouse.fetch("prices", tenant);
    }

    /** Limited by the executor of the asynchronous method. */
    @PostMapping("/reports")
    CompletableFuture<String> report(@RequestHeader("X-Tenant") String tenant) {
        return reports.create(tenant);
    }
}
