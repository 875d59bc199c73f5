package io.github.kobe.scope;

import java.time.Instant;

/**
 * Which task a hook is told about.
 *
 * @param scopeId the scope, such as "scope-7"; unique in this JVM
 * @param taskId the number of the task in its scope, from 1
 * @param name what the task is called
 * @param createdAt when it was submitted
 * @param schedulerName the name of the scope's scheduler
 */
public record TaskInfo(String scopeId, long taskId, String name, Instant createdAt, String schedulerName) {}
