package io.github.kobe.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is a node called that was given no name? */
class ProcessNameTest {

    @TempDir
    Path directory;

    @Test
    void environmentNamesTheHost() throws IOException {
        Path file = Files.writeString(directory.resolve("hostname"), "web-4\n");
        assertThat(ProcessName.of(Map.of("HOSTNAME", "web-3"), file, 4711)).isEqualTo("web-3/4711");
        assertThat(ProcessName.of(Map.of("COMPUTERNAME", "WEB-5"), file, 4711)).isEqualTo("WEB-5/4711");
    }

    @Test
    void systemNamesTheHostIfTheEnvironmentDoesNot() throws IOException {
        Path file = Files.writeString(directory.resolve("hostname"), "web-4\n");
        assertThat(ProcessName.of(Map.of(), file, 4711)).isEqualTo("web-4/4711");
    }

    @Test
    void processAloneIfNobodyNamesTheHost() {
        assertThat(ProcessName.of(Map.of(), directory.resolve("missing"), 4711)).isEqualTo("process 4711");
    }
}
