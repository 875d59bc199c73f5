package io.github.kobe.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Does a play with a console go on, show itself, and follow what is changed there? */
@Timeout(120)
class ConsolePlayTest {

    private static final Pattern ADDRESS = Pattern.compile("Console: (http://\\S+/)#token=(\\S+)");

    @TempDir
    Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final AtomicInteger code = new AtomicInteger(-1);
    private final HttpClient client = HttpClient.newHttpClient();
    private Thread playing;
    private String address;
    private String token;

    private void play(String... args) {
        PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
        playing = Thread.ofPlatform().start(() -> code.set(new Demo(directory, "never", stream, stream).run(args)));
        MatchResult found = null;
        while (found == null) {
            assertThat(playing.isAlive())
                    .as(out.toString(StandardCharsets.UTF_8))
                    .isTrue();
            Thread.onSpinWait();
            found = ADDRESS.matcher(out.toString(StandardCharsets.UTF_8))
                    .results()
                    .findFirst()
                    .orElse(null);
        }
        address = found.group(1);
        token = found.group(2);
    }

    @AfterEach
    void stop() throws InterruptedException {
        playing.interrupt();
        playing.join();
        assertThat(code).hasValue(Demo.STOPPED);
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("stopped");
        DemoThreads.awaitTermination();
        assertThat(directory).isEmptyDirectory();
    }

    private String send(String path, String body) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address + path))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json");
        HttpResponse<String> response = client.send(
                (body.isEmpty() ? request : request.POST(HttpRequest.BodyPublishers.ofString(body))).build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return response.body();
    }

    /** Reads views until one is as expected, and returns it. */
    private String await(String query, Predicate<String> expected) throws IOException, InterruptedException {
        while (true) {
            String view = send("api/view?" + query, "");
            if (expected.test(view)) {
                return view;
            }
        }
    }

    private static int number(String row, String name) {
        return Pattern.compile("\"" + name + "\":(\\d+)")
                .matcher(row)
                .results()
                .mapToInt(found -> Integer.parseInt(found.group(1)))
                .findFirst()
                .orElse(-1);
    }

    private static String rows(String view) {
        return view.substring(view.indexOf("\"rows\":"));
    }

    @Test
    void loweredLimitMakesTheQueueGrowAndAResetDrainsIt() throws IOException, InterruptedException {
        play("--console", "--scenario", "limits");
        String query = "search=checkout";
        String row = rows(await(query, view -> number(rows(view), "running") > 1));
        assertThat(number(row, "limit")).isEqualTo(6);
        String group = Pattern.compile("\"id\":\"0\\.([0-9a-f]+)\"")
                .matcher(row)
                .results()
                .findFirst()
                .orElseThrow()
                .group(1);
        String order = "{\"executor\":0,\"group\":\"" + group + "\",\"value\":1}";
        assertThat(send("api/group/limit", order)).contains("\"from\":\"6\",\"to\":\"1\"");
        String slow = rows(await(query, view -> number(rows(view), "queued") > 20));
        assertThat(number(slow, "limit")).isEqualTo(1);
        assertThat(number(slow, "running")).isLessThanOrEqualTo(1);
        send("api/group/reset", order);
        String fast = rows(await(query, view -> number(rows(view), "queued") == 0));
        assertThat(number(fast, "limit")).isEqualTo(6);
    }

    @Test
    void everyTabHasSomethingToShow() throws IOException, InterruptedException {
        play("--console");
        await("", view -> view.contains("\"key\":\"checkout\""));
        await("tab=pools", view -> view.contains("demo-workers") && number(view, "submitted") > 0);
        await("tab=isolation", view -> view.contains("\"key\":\"slow1\"") && number(view, "running") > 0);
    }
}
