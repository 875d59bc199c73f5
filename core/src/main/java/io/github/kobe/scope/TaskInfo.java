package io.github.kobe.scope;

import java.time.Instant;

/**
 * The task that a hook is called for.
 *
 * @param scopeId the scope, such as "scope-7"; unique in this JVM
 * @param taskId the number of the task in its scope, from 1
 * @param name the name of the task
 * @param createdAt when it was submitted
 * @param schedulerName the name of the scope's scheduler
 */
public record TaskInfo(String scopeId, long taskId, String name, Instant createdAt, String schedulerName) {}
