package io.github.kobe.demo;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The work that a role brings. Gaps and lengths are means: the seed varies them.
 *
 * @param role whose
 * @param batch how many come at once
 * @param everyMillis until the next ones come
 * @param lengthsMillis how long the parts of one take; a plain task has one part
 */
record Traffic(Role role, int batch, double everyMillis, List<Double> lengthsMillis) {

    static Traffic tasks(Role role, int batch, double everyMillis, double lengthMillis) {
        return new Traffic(role, batch, everyMillis, List.of(lengthMillis));
    }

    /** Places that it would keep busy if it never had to wait. */
    double places() {
        double total = lengthsMillis.stream().mapToDouble(Double::doubleValue).sum();
        return batch * total / everyMillis;
    }

    /** For people, such as "60 of 100 ms every 1,500 ms". */
    String describe() {
        String lengths = lengthsMillis.stream().map(Format::exact).collect(Collectors.joining(", "));
        return batch + " of " + lengths + " every " + Format.exact(everyMillis);
    }
}
