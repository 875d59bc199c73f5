package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Do the examples in the Javadoc compile and work? They are copied here word for word. */
@Timeout(60)
class JavadocExamplesTest {

    private static final Path MAIN = Path.of("src/main/java/io/github/kobe");
    private static final Path TEST = Path.of("src/test/java/io/github/kobe/JavadocExamplesTest.java");
    private static final Pattern EXAMPLE = Pattern.compile("<pre>\\{@code\\R(.*?)\\}</pre>", Pattern.DOTALL);

    @Test
    void groupExecutor() throws Exception {
        assertThat(printedBy(() -> {
                    GroupPolicy policy = GroupPolicy.builder()
                            .perGroupMaxConcurrency(Map.of("vip", 4))
                            .defaultMaxConcurrencyPerGroup(1)
                            .build();
                    try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy)) {
                        TaskHandle<String> handle = executor.submit("vip", "hello", () -> "world");
                        System.out.println(handle.get());
                    }
                }))
                .isEqualToIgnoringNewLines("world");
    }

    @Test
    void sharedLimit() {
        GroupPolicy policy = GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(4) // of one tenant at one endpoint
                .sharedLimit(
                        SharedLimit.by("tenant", key -> tenantOf(key)).max(10).max("acme", 20))
                .sharedLimit(SharedLimit.by("endpoint", key -> endpointOf(key)).maxResolver(this::capacityOf))
                .globalMaxInFlight(64)
                .build();
        assertThat(policy.sharedLimits()).extracting(SharedLimit::name).containsExactly("tenant", "endpoint");
    }

    private static String tenantOf(String key) {
        return key.substring(0, key.indexOf('/'));
    }

    private static String endpointOf(String key) {
        return key.substring(key.indexOf('/') + 1);
    }

    private int capacityOf(String endpoint) {
        return endpoint.length();
    }

    @Test
    void contextCarrier() {
        ThreadLocal<String> request = new ThreadLocal<>();
        ContextCarrier carrier = () -> {
            String captured = request.get();
            return captured == null
                    ? null
                    : () -> {
                        String before = request.get();
                        request.set(captured);
                        return () -> request.set(before);
                    };
        };
        assertThat(carrier.capture()).isNull();
        request.set("r1");
        ContextCarrier.Captured captured = carrier.capture();
        assertThat(captured).isNotNull();
        request.set("r2");
        captured.run(() -> assertThat(request.get()).isEqualTo("r1"));
        assertThat(request.get()).isEqualTo("r2");
    }

    @Test
    void acquire() throws Exception {
        List<String> handled = new ArrayList<>();
        String request = "request";
        try (GroupExecutor executor =
                GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build())) {
            try (Permit permit = executor.acquire("tenant")) {
                handle(request);
            }
            handled.add(executor.groupStats("tenant").orElseThrow().groupKey());
        }
        assertThat(handled).containsExactly("tenant");
    }

    @Test
    void permitResult() throws Exception {
        String request = "request";
        try (GroupExecutor executor =
                GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build())) {
            for (int permits = 0; permits < 2; permits++) {
                String printed = printedBy(() -> {
                    try (PermitResult result = executor.tryAcquire("tenant", Duration.ofMillis(200))) {
                        if (result.isGranted()) {
                            handle(request);
                        } else {
                            System.out.println("503, " + result.rejection());
                        }
                    }
                });
                assertThat(printed).startsWith(permits == 0 ? "" : "503, expired (1 active");
                executor.submit("tenant", "blocker", TestKit.BlockingTask.interruptible());
            }
        }
    }

    @Test
    void acquireAsync() throws Exception {
        String request = "request";
        try (GroupExecutor executor =
                GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build())) {
            assertThat(printedBy(() -> {
                        executor.acquireAsync("tenant")
                                .thenCompose(permit -> send(request).whenComplete((answer, fault) -> permit.close()))
                                .thenAccept(answer -> System.out.println(answer));
                    }))
                    .isEqualToIgnoringNewLines("answer to request");
            assertThat(executor.stats().totalActiveCount()).isZero();
        }
    }

    private static CompletableFuture<String> send(String request) {
        return CompletableFuture.completedFuture("answer to " + request);
    }

    @Test
    void completions() throws Exception {
        List<String> hosts = List.of("a", "b", "c", "d");
        try (GroupExecutor executor =
                GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build())) {
            assertThat(printedBy(() -> {
                                Stream<GroupTask<String>> pings =
                                        hosts.stream().map(host -> new GroupTask<>("ping", host, () -> ping(host)));
                                try (Stream<GroupResult<String>> answers = executor.completions(pings, 10)) {
                                    answers.filter(GroupResult::isSuccess)
                                            .limit(3)
                                            .forEach(answer -> System.out.println(answer.value()));
                                }
                            })
                            .lines())
                    .containsExactlyInAnyOrder("pong of a", "pong of b", "pong of d");
        }
    }

    @Test
    void completionsWithAWindowForEachGroup() throws Exception {
        List<String> pages = List.of("a/1", "b/1");
        try (GroupExecutor executor =
                GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build())) {
            assertThat(printedBy(() -> {
                                Stream<GroupTask<String>> fetches = pages.stream()
                                        .map(page -> new GroupTask<>(hostOf(page), page, () -> load(page)));
                                try (Stream<GroupResult<String>> results = executor.completions(fetches, 1_000, 4)) {
                                    results.forEach(
                                            result -> System.out.println(result.taskId() + " " + result.status()));
                                }
                            })
                            .lines())
                    .containsExactlyInAnyOrder("a/1 SUCCESS", "b/1 SUCCESS");
        }
    }

    @Test
    void feed() throws Exception {
        Stream<GroupTask<String>> mails = Stream.of("a", "b").map(mail -> new GroupTask<>(mail, mail, () -> mail));
        try (GroupExecutor executor =
                GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build())) {
            long number = executor.feed(
                    mails, 10_000, 100, handle -> handle.toCompletableFuture().thenAccept(result -> log(result)));
            assertThat(number).isEqualTo(2);
        }
    }

    private static String hostOf(String page) {
        return page.substring(0, 1);
    }

    private static String load(String page) {
        return "text of " + page;
    }

    private static void log(GroupResult<?> result) {
        assertThat(result.taskId()).isNotEmpty();
    }

    private static String ping(String host) throws IOException {
        if (host.equals("c")) {
            throw new IOException("no answer");
        }
        return "pong of " + host;
    }

    private static void handle(String request) {
        assertThat(request).isNotEmpty();
    }

    @Test
    void everyExampleIsCopiedInThisFile() throws IOException {
        String here = squeezed(Files.readString(TEST));
        List<String> examples = new ArrayList<>();
        try (Stream<Path> sources = Files.list(MAIN)) {
            for (Path source :
                    sources.filter(p -> p.toString().endsWith(".java")).toList()) {
                Matcher matcher = EXAMPLE.matcher(Files.readString(source));
                while (matcher.find()) {
                    examples.add(squeezed(matcher.group(1).replaceAll("(?m)^\\s*\\* ?", "")));
                }
            }
        }
        assertThat(examples).isNotEmpty().allSatisfy(example -> assertThat(here).contains(example));
    }

    /** Ignores layout. */
    private static String squeezed(String code) {
        return code.replaceAll("\\s+", "");
    }

    interface Example {
        void run() throws Exception;
    }

    private static String printedBy(Example example) throws Exception {
        PrintStream before = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            example.run();
        } finally {
            System.setOut(before);
        }
        return printed.toString(StandardCharsets.UTF_8);
    }
}
