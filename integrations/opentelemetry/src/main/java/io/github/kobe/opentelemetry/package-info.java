/** Context and spans of tasks for OpenTelemetry. */
@NullMarked
package io.github.kobe.opentelemetry;

import org.jspecify.annotations.NullMarked;
