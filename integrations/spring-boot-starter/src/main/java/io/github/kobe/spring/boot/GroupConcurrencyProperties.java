package io.github.kobe.spring.boot;

import io.github.kobe.FairnessPolicy;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.fleet.LeaseLostAction;
import io.github.kobe.fleet.UnreachableMode;
import io.github.kobe.pool.Sizing;
import io.github.kobe.pool.ThreadKind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.Environment;

/**
 * The properties {@code group-concurrency.*}. Immutable. A property of this name that does not exist is a mistake, and the application does not
 * start.
 *
 * @param executors Group executors. Each is a bean that has the name of its key. If there is none, and the application has no bean of type
 *     GroupExecutor, there is one that is called "default".
 * @param pools Worker pools. Each is a bean that has the name of its key.
 * @param isolation Isolation executors. Each is a bean that has the name of its key.
 * @param taskExecutors Task executors for "@Async", such as "@Async("mails")". Each is a bean that has the name of its key.
 * @param annotation The annotation "@GroupLimit".
 * @param web Limits of HTTP requests.
 * @param metrics Meters of all executors and pools.
 * @param health Health of the group executors.
 * @param fleet The fleet: instances of the application that share the limits of their groups.
 * @param console A page that shows executors live, on the management port.
 */
@ConfigurationProperties(prefix = GroupConcurrencyProperties.PREFIX, ignoreUnknownFields = false)
public record GroupConcurrencyProperties(
        @DefaultValue Map<String, Executor> executors,
        @DefaultValue Map<String, Pool> pools,
        @DefaultValue Map<String, Isolation> isolation,
        @DefaultValue Map<String, TaskExecutor> taskExecutors,
        @DefaultValue Annotation annotation,
        @DefaultValue Web web,
        @DefaultValue Metrics metrics,
        @DefaultValue Health health,
        @DefaultValue Fleet fleet,
        @DefaultValue Console console) {

    static final String PREFIX = "group-concurrency";

    /** Binds the properties of {@code environment}, as Spring Boot does for a bean. */
    static GroupConcurrencyProperties bind(Environment environment) {
        BindHandler strict = new NoUnboundElementsBindHandler(BindHandler.DEFAULT, new UnboundElementsSourceFilter());
        return Binder.get(environment).bindOrCreate(PREFIX, Bindable.of(GroupConcurrencyProperties.class), strict);
    }

    /** Returns the properties of the executor; the defaults if there are none. */
    Executor executor(String name) {
        return orDefaults(executors.get(name), Executor.class);
    }

    /** Returns the properties of the pool; the defaults if there are none. */
    Pool pool(String name) {
        return orDefaults(pools.get(name), Pool.class);
    }

    /** Returns the properties of the isolation executor; the defaults if there are none. */
    Isolation isolation(String name) {
        return orDefaults(isolation.get(name), Isolation.class);
    }

    /** Returns the properties of the task executor; the defaults if there are none. */
    TaskExecutor taskExecutor(String name) {
        return orDefaults(taskExecutors.get(name), TaskExecutor.class);
    }

    private static <T> T orDefaults(@Nullable T properties, Class<T> type) {
        return properties != null ? properties : new Binder().bindOrCreate("defaults", Bindable.of(type));
    }

    /**
     * A group executor.
     *
     * @param defaultMaxConcurrencyPerGroup How many tasks of a group may run at once.
     * @param defaultMaxInFlightPerGroup A second limit on how many tasks of a group may run at once. Unlimited by default.
     * @param defaultQueueThresholdPerGroup How many tasks of a group may be queued. Unlimited by default.
     * @param globalMaxInFlight How many tasks of all groups together may run at once. Unlimited by default.
     * @param globalQueueThreshold How many tasks may be in the executor beyond the global limit, if there is one. Unlimited by default.
     * @param maxGroups How many groups the executor may know at a time. Idle groups are forgotten first.
     * @param groups Settings of single groups, by key.
     * @param sharedLimits Limits that several groups share, by name.
     * @param fairnessPolicy What groups that compete for the global limit or a shared limit share by weight.
     * @param priorityAgeing The time in the queue that is worth one step of priority. None by default.
     * @param rejectionPolicy What to do with a task when the queue is full.
     * @param maxBlockTime How long the rejection policy "block" blocks the submitter.
     * @param recordTimes Whether the times that tasks wait and run are recorded.
     * @param idleGroupTtl How long an idle group is remembered.
     * @param propagateContext Whether tasks see the context of their submitter, such as MDC and observation.
     * @param fleet Whether the limits of groups are those of the whole fleet. True if there is a fleet.
     * @param shutdown What happens when the application stops.
     */
    public record Executor(
            @DefaultValue("1") int defaultMaxConcurrencyPerGroup,
            @Nullable Integer defaultMaxInFlightPerGroup,
            @Nullable Integer defaultQueueThresholdPerGroup,
            @Nullable Integer globalMaxInFlight,
            @Nullable Integer globalQueueThreshold,
            @DefaultValue("100000") int maxGroups,
            @DefaultValue Map<String, GroupLimits> groups,
            @DefaultValue Map<String, SharedLimits> sharedLimits,
            @DefaultValue("tasks") FairnessPolicy fairnessPolicy,
            @Nullable Duration priorityAgeing,
            @DefaultValue("abort") RejectionPolicy rejectionPolicy,
            @DefaultValue("1m") Duration maxBlockTime,
            @DefaultValue("false") boolean recordTimes,
            @DefaultValue("1m") Duration idleGroupTtl,
            @DefaultValue("true") boolean propagateContext,
            @Nullable Boolean fleet,
            @DefaultValue Shutdown shutdown) {}

    /**
     * The settings of one group. Those that are absent are the defaults of its executor.
     *
     * @param maxConcurrency How many tasks of the group may run at once.
     * @param maxInFlight A second limit on how many tasks of the group may run at once.
     * @param queueThreshold How many tasks of the group may be queued.
     * @param weight The weight of the group when it competes for the global limit or a shared limit. 1 by default.
     */
    public record GroupLimits(
            @Nullable Integer maxConcurrency,
            @Nullable Integer maxInFlight,
            @Nullable Integer queueThreshold,
            @Nullable Integer weight) {}

    /**
     * A limit that several groups share. The value of a group, such as its tenant, is a part of its key. All groups of a value share its limit.
     *
     * @param separator What separates the parts of a key.
     * @param part Which part of a key is the value, from 0. A key that has fewer parts is not under this limit.
     * @param keyPattern A regular expression with one capturing group, instead of a part. The value of a key that matches as a whole is what the group
     *     captures. A key that does not match is not under this limit.
     * @param max How many permits the groups of a value may have in use. Unlimited by default.
     * @param weight The weight of each value as a whole when values compete at other limits. Without any weight, values do not matter there.
     * @param acrossFleet Whether the limit is one of the whole fleet. Needs a fleet, and max.
     * @param values Settings of single values.
     */
    public record SharedLimits(
            @DefaultValue(":") String separator,
            @Nullable Integer part,
            @Nullable String keyPattern,
            @Nullable Integer max,
            @Nullable Integer weight,
            @DefaultValue("false") boolean acrossFleet,
            @DefaultValue Map<String, SharedValue> values) {

        /** Returns how many permits a value may have in use; {@link Integer#MAX_VALUE} if there is no limit. */
        int maxOf(String value) {
            SharedValue own = values.get(value);
            Integer limit = own == null || own.max == null ? max : own.max;
            return limit == null ? Integer.MAX_VALUE : limit;
        }
    }

    /**
     * The settings of one value of a shared limit.
     *
     * @param max How many permits the groups of the value may have in use.
     * @param weight The weight of the value as a whole when values compete at other limits. That of the limit by default, or 1.
     */
    public record SharedValue(
            @Nullable Integer max, @Nullable Integer weight) {}

    /**
     * A worker pool.
     *
     * @param minWorkers How many workers stay when they are idle.
     * @param maxWorkers The maximum number of workers. The same as min-workers by default.
     * @param keepAlive How long a worker beyond min-workers is idle before it leaves.
     * @param queueCapacity How many tasks may be queued. Unlimited by default.
     * @param rejectionPolicy What to do with a task when the queue is full.
     * @param maxBlockTime How long the rejection policy "block" blocks the submitter.
     * @param threads The kind of threads.
     * @param priorityAgeing The time in the queue that is worth one step of priority. None by default.
     * @param grace How long a task may take to return after an interrupt before its worker is replaced.
     * @param maxZombies How many workers may be replaced at a time. The same as max-workers by default.
     * @param sizing How the pool decides how many workers it uses.
     * @param utilization The fraction of their time that workers should be busy, for sizing by utilization.
     * @param propagateContext Whether tasks see the context of their submitter, such as MDC and observation.
     * @param shutdown What happens when the application stops.
     */
    public record Pool(
            @DefaultValue("1") int minWorkers,
            @Nullable Integer maxWorkers,
            @DefaultValue("1m") Duration keepAlive,
            @Nullable Integer queueCapacity,
            @DefaultValue("abort") RejectionPolicy rejectionPolicy,
            @DefaultValue("1m") Duration maxBlockTime,
            @DefaultValue("platform") ThreadKind threads,
            @Nullable Duration priorityAgeing,
            @DefaultValue("1s") Duration grace,
            @Nullable Integer maxZombies,
            @DefaultValue("max") Sizing sizing,
            @DefaultValue("1") double utilization,
            @DefaultValue("true") boolean propagateContext,
            @DefaultValue Shutdown shutdown) {}

    /**
     * An isolation executor.
     *
     * @param maxConcurrency How many tasks of all keys together may run at once.
     * @param slowThreshold A key whose tasks take at least this long is slow.
     * @param targetWait A task that is queued for longer than this is late.
     * @param maxShare The fraction of a lane that one key may use while other keys are queued.
     * @param whiteListShare The fraction of the permits on which the keys of the white list start first.
     * @param newKeyShare The fraction of the permits that a key may have before its first task has completed.
     * @param whiteList Keys whose tasks start first.
     * @param taskExpiry The maximum time in the queue. Unlimited by default.
     * @param taskTimeout The maximum running time. Unlimited by default.
     * @param queueCapacity How many tasks may be queued.
     * @param maxTrackedKeys How many keys are remembered.
     * @param statsWindow The period over which the demand of fast keys is measured.
     * @param propagateContext Whether tasks see the context of their submitter, such as MDC and observation.
     * @param shutdown What happens when the application stops.
     */
    public record Isolation(
            @DefaultValue("64") int maxConcurrency,
            @DefaultValue("1s") Duration slowThreshold,
            @DefaultValue("300ms") Duration targetWait,
            @DefaultValue("0.3") double maxShare,
            @DefaultValue("0.3") double whiteListShare,
            @DefaultValue("0.3") double newKeyShare,
            @DefaultValue Set<String> whiteList,
            @Nullable Duration taskExpiry,
            @Nullable Duration taskTimeout,
            @DefaultValue("100000") int queueCapacity,
            @DefaultValue("100000") int maxTrackedKeys,
            @DefaultValue("10s") Duration statsWindow,
            @DefaultValue("true") boolean propagateContext,
            @DefaultValue Shutdown shutdown) {}

    /**
     * What happens when the application stops.
     *
     * @param awaitTerminationPeriod How long queued and running tasks may take to complete, after the web server has stopped. What is left is
     *     cancelled and named in the log.
     */
    public record Shutdown(@DefaultValue("20s") Duration awaitTerminationPeriod) {}

    /**
     * A task executor, whose tasks are tasks of one group.
     *
     * @param executor The name of the bean of type GroupExecutor. The only one, or the primary one, by default.
     * @param group The key of the group. The name of the task executor by default.
     */
    public record TaskExecutor(
            @DefaultValue("") String executor, @Nullable String group) {}

    /**
     * The annotation "@GroupLimit".
     *
     * @param enabled Whether it takes effect.
     * @param order The order of its bean post-processor. By default the permit is taken outside of transactions and inside of "@Async" and
     *     "@Retryable".
     * @param announce Whether listeners of the executor, and so the timers of tasks, hear of calls.
     */
    public record Annotation(
            @DefaultValue("true") boolean enabled,
            @Nullable Integer order,
            @DefaultValue("false") boolean announce) {}

    /**
     * Limits of HTTP requests.
     *
     * @param urlPatterns Requests that run with a permit, as URL patterns of servlets, such as "/api/*". None by default.
     * @param header The header that has the key of a request, unless there is a bean of type RequestKey.
     * @param group What comes before the key, with a colon between them: with "web", the requests of "acme" belong to the group "web:acme".
     * @param executor The name of the bean of type GroupExecutor. The only one, or the primary one, by default.
     * @param maxWait How long a request waits for its permit.
     * @param passWithoutKey Whether a request without a key runs without a permit. Otherwise it is answered with 400.
     * @param maxKeyLength A request with a longer key is answered with 400.
     * @param order The order of the filter. By default it comes after the filter of Spring Security.
     * @param announce Whether listeners of the executor, and so the timers of tasks, hear of requests.
     * @param answerRejections Whether a RejectedTaskException of a controller is answered with 429 or 503.
     */
    public record Web(
            @DefaultValue List<String> urlPatterns,
            @DefaultValue("X-Tenant") String header,
            @DefaultValue("") String group,
            @DefaultValue("") String executor,
            @DefaultValue("0s") Duration maxWait,
            @DefaultValue("false") boolean passWithoutKey,
            @DefaultValue("256") int maxKeyLength,
            @DefaultValue("0") int order,
            @DefaultValue("false") boolean announce,
            @DefaultValue("true") boolean answerRejections) {}

    /**
     * Meters of all executors and pools.
     *
     * @param enabled Whether there are meters.
     * @param groups Keys of groups that have meters of their own. "*" stands for the first groups that are used.
     * @param maxGroups How many groups have meters of their own if "groups" is "*"; if "shared-limits" is, values of each shared limit.
     * @param sharedLimits Values of shared limits that have meters of their own. "*" stands for the first values that are used.
     * @param timers Whether there are timers of the times that tasks wait and run.
     */
    public record Metrics(
            @DefaultValue("true") boolean enabled,
            @DefaultValue List<String> groups,
            @DefaultValue("50") int maxGroups,
            @DefaultValue List<String> sharedLimits,
            @DefaultValue("false") boolean timers) {}

    /**
     * Health of the group executors.
     *
     * @param enabled Whether there is a health indicator.
     * @param maxWait If a task of a group that is not paused has been queued for longer than this, the executor is down.
     */
    public record Health(
            @DefaultValue("false") boolean enabled,
            @DefaultValue("1m") Duration maxWait) {}

    /**
     * The fleet: instances of the application that share the limits of their groups.
     *
     * @param name The name of the fleet, the same on all instances. There is no fleet without it.
     * @param node The name of this instance, for operators. The name of the host and the number of the process by default.
     * @param redis The store in Redis.
     * @param ttl After this time without a sign of life, the permits of an instance go to others. The same on all instances.
     * @param heartbeat How often the node renews its lease. An eighth of the TTL by default.
     * @param quantum How long a permit that others want is kept at least.
     * @param linger How long a permit is kept that nobody wants.
     * @param whenUnreachable What to do when the store cannot be reached and the lease is over.
     * @param onLeaseLost What happens to running tasks when the lease is over.
     * @param reclaimAfter How long the permits of a lost instance are kept beyond the TTL.
     * @param totalLimit How many tasks of all groups of the fleet together may run at once. Unlimited by default.
     * @param configurationVersion If instances disagree about a limit, the highest version decides. Increase it with each deployment that changes limits.
     * @param founding Whether an empty store is that of a new fleet. For tests: otherwise it may have lost its data, and grants nothing for one TTL.
     */
    public record Fleet(
            @Nullable String name,
            @Nullable String node,
            @DefaultValue Redis redis,
            @DefaultValue("10s") Duration ttl,
            @Nullable Duration heartbeat,
            @DefaultValue("80ms") Duration quantum,
            @DefaultValue("5s") Duration linger,
            @DefaultValue("stop") UnreachableMode whenUnreachable,
            @DefaultValue("keep") LeaseLostAction onLeaseLost,
            @DefaultValue("0s") Duration reclaimAfter,
            @Nullable Integer totalLimit,
            @DefaultValue("0") long configurationVersion,
            @DefaultValue("false") boolean founding) {}

    /**
     * The store of the fleet in Redis.
     *
     * @param uri Where it is, such as "redis://user:password@host:6379"; "rediss" with TLS, "redis-sentinel" or "redis-cluster".
     * @param timeout How long a connection may take to be opened, and a call to be answered. That of the URI, or 2 seconds, by default.
     * @param shards The number of shards, the same on all instances. 8 in a cluster and otherwise 1 by default.
     */
    public record Redis(
            @Nullable String uri,
            @Nullable Duration timeout,
            @Nullable Integer shards) {

        /** Without the URI, which may contain a password. */
        @Override
        public String toString() {
            return "Redis[timeout=" + timeout + ", shards=" + shards + "]";
        }
    }

    /**
     * A page that shows executors live, on the management port.
     *
     * @param enabled Whether there is one, below the path of the endpoints, such as "/actuator/groupconsole/".
     * @param editable Whether limits can be changed there.
     * @param title The title of the page. The name of the application by default.
     * @param allowedHosts Names, with their ports, that requests without a user may be sent to, apart from loopback names.
     */
    public record Console(
            @DefaultValue("false") boolean enabled,
            @DefaultValue("false") boolean editable,
            @Nullable String title,
            @DefaultValue List<String> allowedHosts) {}
}
