package io.github.kobe.consumer

import io.github.kobe.GroupExecutor
import io.github.kobe.GroupPolicy
import io.github.kobe.RetryPolicy
import io.github.kobe.TaskHandle
import io.github.kobe.isolation.IsolationExecutor
import io.github.kobe.isolation.IsolationPolicy
import io.github.kobe.pool.WorkerPool
import io.github.kobe.scope.Task
import io.github.kobe.scope.ThreadScope
import java.io.ByteArrayOutputStream
import java.io.PrintStream
import java.nio.file.Files
import java.nio.file.Path
import java.time.Duration
import java.util.concurrent.Callable
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

private fun fetch(what: String): String = "value of $what"

private fun findOrNull(what: String): String? = what.ifEmpty { null }

fun <T> GroupExecutor.task(key: String, work: () -> T): TaskHandle<T> = submit(key, Callable(work))

/** Does the Kotlin of the guide compile without warnings, and print what it should? It is copied here word for word. */
@Timeout(60)
class KotlinGuideTest {

    @Test
    fun groupExecutor() {
        val printed = printedBy {
            val policy = GroupPolicy.builder().defaultMaxConcurrencyPerGroup(2).build()
            GroupExecutor.newVirtualThreadExecutor(policy).use { executor ->
                val order: TaskHandle<String> = executor.submit("acme", "order-17", Callable { fetch("order-17") })   // group, task name, task
                val page: String = executor.call("acme", Callable { fetch("page") })                                   // on this thread
                val log: TaskHandle<*> = executor.submit("acme") { println("a lambda is a Runnable") }
                println(order.get() + ", " + page + ", " + log.await().status())
            }
        }
        assertThat(printed).containsExactly("a lambda is a Runnable", "value of order-17, value of page, SUCCESS")
    }

    @Test
    fun extensionAndNullableValue() {
        GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build()).use { executor ->
            val printed = printedBy {
                println(executor.task("acme") { fetch("page") }.get())
                val found: TaskHandle<String?> = executor.submit("acme", Callable { findOrNull("page") })
                println(found.get()?.length ?: "nothing found")
            }
            assertThat(printed).containsExactly("value of page", "4")
            val nothing: String? = executor.call("acme", Callable { findOrNull("") })
            assertThat(nothing).isNull()
        }
    }

    @Test
    fun threadScope() {
        val printed = printedBy {
            ThreadScope.open().withDeadline(Duration.ofSeconds(10)).use { scope ->
                val user: Task<String> = scope.submit("user", Callable { fetch("user") })
                val orders: Task<String> = scope.submit("orders", Callable { fetch("orders") }, RetryPolicy.attempts(3))
                scope.await(user, orders)
                println(user.await() + ", " + orders.await())
                println(scope.joiner().firstSuccess(Callable { fetch("mirror") }, Callable { fetch("mirror") }))
            }
        }
        assertThat(printed).containsExactly("value of user, value of orders", "value of mirror")
    }

    @Test
    fun workerPool() {
        val printed = printedBy {
            WorkerPool.builder().name("sums").maxWorkers(2).build().use { pool ->
                val sum: TaskHandle<Int> = pool.submit { context ->
                    context.throwIfCancelled()
                    (1..100).sum()
                }
                println(sum.get())
            }
        }
        assertThat(printed).containsExactly("5050")
    }

    @Test
    fun isolationExecutor() {
        val printed = printedBy {
            IsolationExecutor.create(IsolationPolicy.builder().maxConcurrency(50).build()).use { executor ->
                val page: TaskHandle<String> = executor.submit("tenant-1", Callable { fetch("page") }) { key, reason -> println("$key: $reason") }
                println(page.get())
            }
        }
        assertThat(printed).containsExactly("value of page")
    }

    @Test
    fun everyBlockOfTheGuideIsCopiedHere() {
        val here = squeezed(Files.readString(Path.of("src/test/kotlin/io/github/kobe/consumer/KotlinGuideTest.kt")))
        val page = Files.readString(Path.of("../docs/guide/use-from-kotlin.md"))
        val blocks = Regex("```kotlin\\n(.*?)```", RegexOption.DOT_MATCHES_ALL).findAll(page).map { it.groupValues[1] }.toList()
        assertThat(blocks).hasSizeGreaterThan(5).allSatisfy { block -> assertThat(here).contains(squeezed(block)) }
    }

    /** Ignores layout. */
    private fun squeezed(code: String): String = code.replace(Regex("\\s+"), "")

    private fun printedBy(example: () -> Unit): List<String> {
        val before = System.out
        val printed = ByteArrayOutputStream()
        System.setOut(PrintStream(printed, true, Charsets.UTF_8))
        try {
            example()
        } finally {
            System.setOut(before)
        }
        return printed.toString(Charsets.UTF_8).lines().filter { it.isNotEmpty() }
    }
}
