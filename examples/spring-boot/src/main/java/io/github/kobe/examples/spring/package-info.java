/** An API of several tenants on Spring Boot. */
package io.github.kobe.examples.spring;
