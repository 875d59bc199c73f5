/** Executors, pools, metrics and an endpoint from the properties of a Spring Boot application. */
@NullMarked
package io.github.kobe.spring.boot;

import org.jspecify.annotations.NullMarked;
