package io.github.kobe.examples.spring;

import io.github.kobe.spring.GroupLimit;
import org.springframework.stereotype.Service;

/** Reads orders from a slow system. */
@Service
public class OrderService {

    private final Warehouse warehouse;

    public OrderService(Warehouse warehouse) {
        this.warehouse = warehouse;
    }

    /** If 8 calls of a tenant run, further ones wait: at most 20, for at most two seconds. Otherwise the client gets 429. */
    @GroupLimit(group = "orders", key = "#tenant", maxWait = "2s")
    public String ordersOf(String tenant) {
        return warehouse.fetch("orders", tenant);
    }
}
