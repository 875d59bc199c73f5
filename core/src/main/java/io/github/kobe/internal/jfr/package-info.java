/**
 * Events for the JDK's flight recorder. {@link io.github.kobe.internal.jfr.FlightRecording} is the only class that others use: it works without
 * the module {@code jdk.jfr} too, and then does nothing. The events are public by their names and fields, which a recording shows.
 */
@NullMarked
package io.github.kobe.internal.jfr;

import org.jspecify.annotations.NullMarked;
