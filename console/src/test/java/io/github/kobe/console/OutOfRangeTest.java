package io.github.kobe.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.SharedLimit;
import io.github.kobe.console.ConsoleKit.Blocker;
import io.github.kobe.console.ConsoleKit.Log;
import io.github.kobe.console.RawClient.Answer;
import io.github.kobe.console.Router.Kind;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import io.github.kobe.pool.WorkerPool;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Is a value that the core does not accept refused on every route that takes a number, and neither mended nor recorded? */
@Timeout(60)
class OutOfRangeTest {

    @Test
    void everyRouteThatTakesANumberPassesTheMessageOfTheCoreOn() {
        try (GroupExecutor groups = ConsoleKit.executor(b -> b.sharedLimit(SharedLimit.by("tenant", key -> key)));
                WorkerPool pool = WorkerPool.builder().maxWorkers(2).build();
                IsolationExecutor isolation =
                        IsolationExecutor.create(IsolationPolicy.builder().build());
                TwoNodes nodes = new TwoNodes(4);
                Site site = Site.of(Console.builder()
                        .add(groups)
                        .add(pool)
                        .add(isolation)
                        .add(nodes.first)
                        .editable(true))) {
            Blocker blocker = Blocker.in(groups, "a", 1);
            nodes.submit(nodes.firstExecutor, "a", 1);
            ConsoleKit.eventually(() -> assertThat(nodes.first.stats().used()).isEqualTo(1));
            List<String> paths = site.console().handler().routes().stream()
                    .filter(route -> route.kind() == Kind.WRITE)
                    .map(Router.Route::path)
                    .filter(path -> !path.endsWith("/pause") && !path.endsWith("/reset"))
                    .toList();
            assertThat(paths).hasSizeGreaterThanOrEqualTo(10);
            try (Log log = new Log()) {
                for (String path : paths) {
                    Answer answer = site.post(path, Site.change("a", "-7"));
                    assertThat(answer.status()).as(path).isEqualTo(400);
                    assertThat(answer.body())
                            .as(path)
                            .contains("must be at least")
                            .contains("-7");
                }
                assertThat(log.lines()).isEmpty();
            }
            assertThat(site.view("tab=changes").get("changes")).isEmpty();
            blocker.release();
        }
    }
}
