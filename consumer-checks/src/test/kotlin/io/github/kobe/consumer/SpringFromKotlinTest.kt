package io.github.kobe.consumer

import io.github.kobe.GroupExecutor
import io.github.kobe.GroupPolicy
import io.github.kobe.spring.EnableGroupLimits
import io.github.kobe.spring.GroupLimit
import io.github.kobe.spring.InvalidGroupLimitException
import java.util.function.Supplier
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import org.springframework.context.annotation.AnnotationConfigApplicationContext

/** Are the methods of Kotlin beans limited? Does a suspend function, whose permit could not be held, fail at start? */
@Timeout(60)
class SpringFromKotlinTest {

    @EnableGroupLimits
    open class Limits

    open class Orders(private val groups: GroupExecutor) {

        @GroupLimit(group = "orders", key = "#p0")
        open fun hasPermit(tenant: String): Boolean = groups.holds("orders:$tenant")
    }

    open class Suspending {

        @GroupLimit(key = "#p0")
        open suspend fun load(tenant: String): String = tenant
    }

    private fun context(vararg beans: Class<*>): AnnotationConfigApplicationContext {
        val context = AnnotationConfigApplicationContext()
        val executor = Supplier { GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build()) }
        context.registerBean(GroupExecutor::class.java, executor)
        context.register(Limits::class.java, *beans)
        return context
    }

    @Test
    fun methodsAreLimited() {
        context(Orders::class.java).use { context ->
            context.refresh()
            assertThat(context.getBean(Orders::class.java).hasPermit("acme")).isTrue()
        }
    }

    @Test
    fun aSuspendFunctionFailsAtStart() {
        context(Suspending::class.java).use { context ->
            assertThatThrownBy { context.refresh() }
                .hasRootCauseInstanceOf(InvalidGroupLimitException::class.java)
                .rootCause()
                .hasMessageContaining("Suspending.load")
                .hasMessageContaining("Kotlin suspend function")
        }
    }
}
