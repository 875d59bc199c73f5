package io.github.kobe.redis;

import io.github.kobe.fleet.Claim;
import io.github.kobe.fleet.FleetRequest;
import java.util.ArrayList;
import java.util.List;

/** Writes the arguments of scripts: the components of a request in the order of their declaration, each list preceded by its length. */
final class Arguments {

    private final List<String> values = new ArrayList<>();

    private Arguments() {}

    /** @throws IllegalArgumentException if a name cannot be written as UTF-8: two such names would be the same in the store */
    static List<String> of(FleetRequest request) {
        Arguments arguments = new Arguments();
        switch (request) {
            case FleetRequest.Hello hello -> arguments.hello(hello);
            case FleetRequest.Exchange exchange -> arguments.exchange(exchange);
            case FleetRequest.Reap reap ->
                arguments.name(reap.incarnation()).name(reap.expired()).names(reap.groups());
            case FleetRequest.Bye bye ->
                arguments.name(bye.session()).number(bye.seq()).name(bye.incarnation());
            case FleetRequest.Configure configure ->
                arguments
                        .name(configure.group())
                        .name(configure.setting().name())
                        .number(configure.value())
                        .number(configure.version());
            case FleetRequest.Look look -> arguments.names(look.sessions()).names(look.groups());
        }
        return arguments.values;
    }

    private void hello(FleetRequest.Hello hello) {
        name(hello.session())
                .number(hello.seq())
                .name(hello.node())
                .number(hello.ttl())
                .number(hello.reclaimAfter())
                .number(hello.shards())
                .number(hello.founding() ? 1 : 0);
    }

    private void exchange(FleetRequest.Exchange exchange) {
        name(exchange.session()).number(exchange.seq()).name(exchange.incarnation());
        number(exchange.renews() ? 1 : 0).number(exchange.claims().size());
        for (Claim claim : exchange.claims()) {
            name(claim.group())
                    .number(claim.limit())
                    .number(claim.version())
                    .number(claim.known())
                    .number(claim.keep())
                    .number(claim.used())
                    .number(claim.wanted())
                    .number(claim.least());
        }
    }

    private Arguments number(long value) {
        values.add(Long.toString(value));
        return this;
    }

    private Arguments names(List<String> names) {
        number(names.size());
        names.forEach(this::name);
        return this;
    }

    private Arguments name(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (Character.isHighSurrogate(c) && i + 1 < name.length() && Character.isLowSurrogate(name.charAt(i + 1))) {
                i++;
            } else if (Character.isSurrogate(c)) {
                throw new IllegalArgumentException(
                        "a name must be Unicode, but has half a character at " + i + ": '" + LogText.of(name) + "'");
            }
        }
        values.add(name);
        return this;
    }
}
