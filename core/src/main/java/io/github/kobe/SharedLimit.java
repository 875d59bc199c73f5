package io.github.kobe;

import io.github.kobe.internal.util.Checks;
import io.github.kobe.internal.util.SettingsText;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A limit that several groups share, such as the calls of one tenant over all its endpoints, or the calls to one endpoint over all tenants. A
 * classifier says which <i>value</i> of the limit a group belongs to: the tenant, or the endpoint. All groups with the same value together may
 * have as many permits in use as the limit of that value. Immutable: each method returns another object.
 *
 * <pre>{@code
 * GroupPolicy policy = GroupPolicy.builder()
 *         .defaultMaxConcurrencyPerGroup(4) // of one tenant at one endpoint
 *         .sharedLimit(SharedLimit.by("tenant", key -> tenantOf(key)).max(10).max("acme", 20))
 *         .sharedLimit(SharedLimit.by("endpoint", key -> endpointOf(key)).maxResolver(this::capacityOf))
 *         .globalMaxInFlight(64)
 *         .build();
 * }</pre>
 *
 * <p>A task starts when its group and every shared limit of the group have room. It takes all its permits in one step, and a queued task holds
 * none. So a limit that is full delays only the groups that belong to it. There is one exception: so that a group which needs several limits is not starved, it may keep a permit
 * of one while it waits for another, for one second at most.
 *
 * <p>A value is known while a group of it is. When its last group retires, nothing of it is left, except settings that were made through
 * {@link GroupControl}.
 */
public final class SharedLimit {

    private final String name;
    private final Function<String, @Nullable String> classifier;
    private final int max;
    private final Map<String, Integer> maxByValue;
    private final @Nullable ToIntFunction<String> maxResolver;
    private final Map<String, Integer> weightByValue;
    private final @Nullable ToIntFunction<String> weightResolver;
    private final boolean acrossFleet;

    private SharedLimit(
            String name,
            Function<String, @Nullable String> classifier,
            int max,
            Map<String, Integer> maxByValue,
            @Nullable ToIntFunction<String> maxResolver,
            Map<String, Integer> weightByValue,
            @Nullable ToIntFunction<String> weightResolver,
            boolean acrossFleet) {
        this.acrossFleet = acrossFleet;
        this.name = name;
        this.classifier = classifier;
        this.max = max;
        this.maxByValue = maxByValue;
        this.maxResolver = maxResolver;
        this.weightByValue = weightByValue;
        this.weightResolver = weightResolver;
    }

    /**
     * Returns a shared limit without a maximum.
     *
     * @param name the name of the limit, for messages, statistics and {@link GroupControl}; not blank
     * @param classifier returns the value that a group belongs to; {@code null} if the group is not under this limit. It is called like
     *     {@link GroupPolicy.Builder#concurrencyResolver}, when the group is first used, and its answer holds until the group retires. If it throws,
     *     that is reported, and the group belongs to the empty value, together with all other groups whose classifier threw
     */
    public static SharedLimit by(String name, Function<String, @Nullable String> classifier) {
        Checks.notBlank("name", Objects.requireNonNull(name, "name"));
        return new SharedLimit(
                name,
                Objects.requireNonNull(classifier, "classifier"),
                Integer.MAX_VALUE,
                Map.of(),
                null,
                Map.of(),
                null,
                false);
    }

    /** Sets how many permits each value may have in use, at least 1. Default unlimited. */
    public SharedLimit max(int n) {
        Checks.atLeast(1, "max", n);
        return new SharedLimit(
                name, classifier, n, maxByValue, maxResolver, weightByValue, weightResolver, acrossFleet);
    }

    /** Sets how many permits one value may have in use, at least 1. It overrides the resolver. */
    public SharedLimit max(String value, int n) {
        return new SharedLimit(
                name,
                classifier,
                max,
                with(maxByValue, "max", value, n),
                maxResolver,
                weightByValue,
                weightResolver,
                acrossFleet);
    }

    /**
     * Sets a function that returns how many permits a value may have in use, for values without a number of their own. It is called like
     * {@link GroupPolicy.Builder#concurrencyResolver}, when a group is first used. If it throws, the default applies; if it returns less than 1, the
     * value is 1. Both are reported.
     */
    public SharedLimit maxResolver(ToIntFunction<String> resolver) {
        Objects.requireNonNull(resolver, "maxResolver");
        return new SharedLimit(name, classifier, max, maxByValue, resolver, weightByValue, weightResolver, acrossFleet);
    }

    /**
     * Sets the weight of each value at the other limits, at least 1, and has the groups of a value take turns as one there: two values of equal weight get equal
     * shares of a full limit, whatever the number of their groups. Among the groups of one value, turns are by the weights of groups.
     *
     * <p>Without any weight, values do not matter for turns: each group has turns of its own. If several shared limits have weights, those that are added to the policy
     * first are the outer levels: values of the first take turns, within each of them values of the second, and so on. Not for {@link FairnessPolicy#SERVICE_TIME}.
     */
    public SharedLimit weight(int n) {
        Checks.atLeast(1, "weight", n);
        return weightResolver(value -> n);
    }

    /** Sets the weight of one value, as {@link #weight(int)} does for each. It overrides the resolver. Other values have the weight 1, or that of the resolver. */
    public SharedLimit weight(String value, int n) {
        return new SharedLimit(
                name,
                classifier,
                max,
                maxByValue,
                maxResolver,
                with(weightByValue, "weight", value, n),
                weightResolver,
                acrossFleet);
    }

    /** Sets a function that returns the weight of values without one of their own, see {@link #weight(int)}. It is called like {@link #maxResolver}. */
    public SharedLimit weightResolver(ToIntFunction<String> resolver) {
        Objects.requireNonNull(resolver, "weightResolver");
        return new SharedLimit(name, classifier, max, maxByValue, maxResolver, weightByValue, resolver, acrossFleet);
    }

    /**
     * Makes the limit one of the whole fleet of the policy ({@link GroupPolicy.Builder#fleet}): all executors of the fleet whose policy has a limit of this name across the fleet share the
     * permits of each value. They have to agree on the name and on what the values are; if they disagree about the number, {@code Fleet.Builder.configurationVersion} decides. Needs a
     * fleet in the policy, and a default of {@link #max(int)} or a {@link #maxResolver}.
     *
     * <p>Without it, also in a policy with a fleet, the limit is one of its executor alone, as a limit on a connection pool of this JVM has to be. For both, add two limits with the same classifier.
     */
    public SharedLimit acrossFleet() {
        return new SharedLimit(name, classifier, max, maxByValue, maxResolver, weightByValue, weightResolver, true);
    }

    private static Map<String, Integer> with(Map<String, Integer> known, String setting, String value, int n) {
        Objects.requireNonNull(value, "value");
        Checks.atLeast(1, setting + "[" + value + "]", n);
        Map<String, Integer> changed = new LinkedHashMap<>(known);
        changed.put(value, n);
        return Collections.unmodifiableMap(changed);
    }

    /** Returns the name of the limit. */
    public String name() {
        return name;
    }

    /** Returns the function that says which value a group belongs to. */
    public Function<String, @Nullable String> classifier() {
        return classifier;
    }

    /** Returns the value of {@link #max(int)}. */
    public int defaultMax() {
        return max;
    }

    /** Returns what {@link #max(String, int)} has set, by value. The map is unmodifiable. */
    public Map<String, Integer> maxByValue() {
        return maxByValue;
    }

    /** Returns the value of {@link #maxResolver(ToIntFunction)}; {@code null} if there is none. */
    public @Nullable ToIntFunction<String> maxResolver() {
        return maxResolver;
    }

    /** Returns what {@link #weight(String, int)} has set, by value. The map is unmodifiable. */
    public Map<String, Integer> weightByValue() {
        return weightByValue;
    }

    /** Returns whether the groups of a value take turns as one at the other limits: whether a weight was set. */
    public boolean hasWeights() {
        return !weightByValue.isEmpty() || weightResolver != null;
    }

    /** Returns the value of {@link #weightResolver(ToIntFunction)} or {@link #weight(int)}; {@code null} if there is none. */
    public @Nullable ToIntFunction<String> weightResolver() {
        return weightResolver;
    }

    /** Returns whether {@link #acrossFleet()} was called. */
    public boolean isAcrossFleet() {
        return acrossFleet;
    }

    /** Returns the name and the numbers, such as "SharedLimit[tenant max 10 (acme 20)]". */
    @Override
    public String toString() {
        return new SettingsText("SharedLimit")
                .addPerGroup(name + " max", max, 0, maxByValue, maxResolver != null)
                .addPerGroup("weight", 1, 1, weightByValue, weightResolver != null)
                .addIf(acrossFleet, "across fleet")
                .toString();
    }
}
