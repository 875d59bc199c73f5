package io.github.kobe.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.console.ConsoleKit.Blocker;
import io.github.kobe.console.RawClient.Answer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which bodies are read? */
@Timeout(60)
class BodyTest {

    private static final int MEGABYTE = 1 << 20;

    private final GroupExecutor executor = ConsoleKit.executor(b -> b);
    private final Site site = Site.of(Console.builder().add(executor).editable(true));
    private Blocker blocker;

    @BeforeEach
    void group() {
        blocker = Blocker.in(executor, "a", 1);
    }

    @AfterEach
    void close() {
        blocker.release();
        site.close();
        executor.close();
    }

    private static String padded(int length) {
        String body = Site.change("a", "7");
        return body + " ".repeat(length - body.length());
    }

    private int limit() {
        return executor.groupStats("a").orElseThrow().limit();
    }

    @Test
    void bodyOf4096BytesIsRead() {
        assertThat(site.post("/api/group/limit", padded(4096)).status()).isEqualTo(200);
        assertThat(limit()).isEqualTo(7);
    }

    @Test
    void longerBodyIsRefused() {
        Answer answer = site.post("/api/group/limit", padded(4097));
        assertThat(answer.status()).isEqualTo(413);
        assertThat(answer.body()).isEqualTo("The body must have at most 4096 bytes.\n");
        assertThat(limit()).isEqualTo(1);
    }

    @Test
    void bodyOfAMegabyteIsRefused() {
        assertThat(site.post("/api/group/limit", padded(MEGABYTE)).status()).isEqualTo(413);
        assertThat(limit()).isEqualTo(1);
    }

    @Test
    void bodyOfAMegabyteInChunksIsRefused() {
        String chunk = Integer.toHexString(MEGABYTE) + "\r\n" + padded(MEGABYTE) + "\r\n0\r\n\r\n";
        Answer answer = RawClient.send(
                site.port(),
                site.request("POST", "/api/group/limit")
                        + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk);
        assertThat(answer.status()).isEqualTo(413);
        assertThat(limit()).isEqualTo(1);
    }

    @Test
    void bodyThatIsNotUtf8IsRefused() {
        byte[] body = Site.change("a", "7")
                .replace("\"value\"", "\"\u00e4\":1,\"value\"")
                .getBytes(StandardCharsets.ISO_8859_1);
        byte[] head = (site.request("POST", "/api/group/limit")
                        + "Content-Type: application/json; charset=latin1\r\nContent-Length: " + body.length
                        + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        byte[] request = java.util.Arrays.copyOf(head, head.length + body.length);
        System.arraycopy(body, 0, request, head.length, body.length);
        Answer answer = RawClient.send(site.port(), request);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.body()).isEqualTo("the body must be UTF-8\n");
        assertThat(limit()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''|the JSON ends too early",
                "{}|executor must be the position of an executor",
                "{\"executor\":-1}|executor must be the position of an executor",
                "{\"executor\":\"0\"}|executor must be the position of an executor",
                "{\"executor\":0}|group must be the id of a group",
                "{\"executor\":0,\"group\":\"a\"}|group must be the id of a group",
                "{\"executor\":0,\"group\":\"ID\"}|value must be a whole number",
                "{\"executor\":0,\"group\":\"ID\",\"value\":null}|value must be a whole number",
                "{\"executor\":0,\"group\":\"ID\",\"value\":\"7\"}|value must be a whole number",
                "{\"executor\":0,\"group\":\"ID\",\"value\":true}|value must be a whole number",
                "{\"executor\":0,\"group\":\"ID\",\"value\":7.5}|a number in the JSON must be a whole number",
                "{\"executor\":0,\"group\":\"ID\",\"value\":4294967297}|value must be a whole number",
                "{\"executor\":0,\"group\":\"ID\",\"value\":0}|maxConcurrency must be at least 1, but is 0",
                "{\"executor\":0,\"group\":\"ID\",\"value\":-5}|maxConcurrency must be at least 1, but is -5",
            })
    void wrongOrderIsRefusedWithAReason(String body, String message) {
        Answer answer = site.post("/api/group/limit", body.replace("ID", Site.id("a")));
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.body()).isEqualTo(message + "\n");
        assertThat(limit()).isEqualTo(1);
        assertThat(site.view("tab=changes").get("changes")).isEmpty();
    }

    @Test
    void whatDoesNotExistIsNotFound() {
        assertThat(site.post("/api/group/limit", Site.change("unknown", "7")).status())
                .isEqualTo(404);
        assertThat(site.post("/api/pool/max-workers", "{\"executor\":0,\"value\":7}")
                        .status())
                .isEqualTo(404);
        assertThat(site.post("/api/group/limit", Site.change("a", "7").replace(":0", ":1"))
                        .status())
                .isEqualTo(404);
    }
}
