package io.github.kobe.spring.boot;

import io.github.kobe.pool.WorkerPool;
import io.github.kobe.spring.boot.GroupConcurrencyProperties.Pool;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.core.env.Environment;

/**
 * Binds the properties again when the environment has changed, and applies what is different to the executors, which keep running. If a value is wrong,
 * nothing is applied.
 */
final class PropertyRefresher {

    private static final Logger LOGGER = System.getLogger(PropertyRefresher.class.getName());

    private static final ConfigurationPropertyName PREFIX =
            ConfigurationPropertyName.of(GroupConcurrencyProperties.PREFIX);

    /** The last parts of the names of properties that can change while tasks run. */
    private static final Set<String> LIVE = Stream.of(
                    Arrays.stream(ExecutorSetting.values()).map(ExecutorSetting::property),
                    Arrays.stream(GroupSetting.values()).map(GroupSetting::property),
                    Stream.of("min-workers", "max-workers", "queue-capacity", "white-list", "await-termination-period"))
            .flatMap(names -> names)
            .map(name -> name.replace("-", "")) // the uniform form
            .collect(Collectors.toUnmodifiableSet());

    /** The position of {@code shared-limits} in the name of a property, after the name of the executor. */
    private static final int SHARED_LIMITS = 3;

    private final Environment environment;
    private final ConfiguredExecutors executors;

    PropertyRefresher(Environment environment, ConfiguredExecutors executors) {
        this.environment = environment;
        this.executors = executors;
    }

    /** @param keys the names of the properties that have changed */
    synchronized void refresh(Set<String> keys) {
        GroupConcurrencyProperties now;
        try {
            now = GroupConcurrencyProperties.bind(environment);
            PropertyMapping.check(now);
        } catch (RuntimeException e) {
            LOGGER.log(Level.ERROR, "the changed properties are not applied, because a value is wrong", e);
            return;
        }
        GroupConcurrencyProperties before = executors.current();
        if (now.equals(before)) {
            return;
        }
        executors.setCurrent(now);
        executors.executors().forEach((name, settings) -> apply(name, () -> settings.refresh(now.executor(name))));
        executors.pools().forEach((name, pool) -> apply(name, () -> refresh(pool, before.pool(name), now.pool(name))));
        executors
                .isolation()
                .forEach((name, executor) -> apply(name, () -> {
                    executor.setQueueCapacity(now.isolation(name).queueCapacity());
                    return List.of();
                }));
        keys.stream()
                .filter(this::isForTheNextStart)
                .sorted()
                .forEach(key -> LOGGER.log(Level.WARNING, "{0} takes effect at the next start", LogText.of(key)));
    }

    /** Logs what {@code change} did. If it throws, other executors are changed all the same. */
    private static void apply(String name, Supplier<List<String>> change) {
        try {
            change.get().forEach(done -> LOGGER.log(Level.INFO, "{0}: {1}", LogText.of(name), LogText.of(done)));
        } catch (RuntimeException e) {
            LOGGER.log(Level.ERROR, "the changed properties of " + LogText.of(name) + " are not all applied", e);
        }
    }

    /** The limits must be in order after each step. */
    private static List<String> refresh(WorkerPool pool, Pool before, Pool now) {
        List<String> log = new ArrayList<>();
        int min = now.minWorkers();
        int max = Objects.requireNonNullElse(now.maxWorkers(), min);
        int maxBefore = Objects.requireNonNullElse(before.maxWorkers(), before.minWorkers());
        if (min != before.minWorkers() || max != maxBefore) {
            if (min <= pool.stats().maxWorkers()) {
                pool.setMinWorkers(min);
                pool.setMaxWorkers(max);
            } else {
                pool.setMaxWorkers(max);
                pool.setMinWorkers(min);
            }
            log.add("there are " + min + " to " + max + " workers");
        }
        if (!Objects.equals(now.queueCapacity(), before.queueCapacity())) {
            pool.setQueueCapacity(Objects.requireNonNullElse(now.queueCapacity(), Integer.MAX_VALUE));
            log.add("queue-capacity is " + Objects.requireNonNullElse(now.queueCapacity(), "unlimited"));
        }
        return log;
    }

    /** Whether it is a property of this library that cannot change while tasks run, or belongs to an executor that does not exist yet. */
    private boolean isForTheNextStart(String key) {
        ConfigurationPropertyName name = ConfigurationPropertyName.adapt(key, '.');
        return PREFIX.isAncestorOf(name) && !(isLive(name) && executorExists(name));
    }

    private static boolean isLive(ConfigurationPropertyName name) {
        int last = name.getNumberOfElements() - 1;
        while (name.isNumericIndex(last)) {
            last--;
        }
        String property = name.getElement(last, Form.UNIFORM);
        boolean ofSharedLimit = name.getNumberOfElements() > SHARED_LIMITS
                && name.getElement(SHARED_LIMITS, Form.UNIFORM).equals("sharedlimits");
        return ofSharedLimit ? property.equals("max") : LIVE.contains(property);
    }

    private boolean executorExists(ConfigurationPropertyName name) {
        String key = name.getNumberOfElements() < 3 ? "" : name.getElement(2, Form.ORIGINAL);
        return switch (name.getElement(1, Form.UNIFORM)) {
            case "executors" -> executors.executors().containsKey(key);
            case "pools" -> executors.pools().containsKey(key);
            case "isolation" -> executors.isolation().containsKey(key);
            default -> false;
        };
    }
}
