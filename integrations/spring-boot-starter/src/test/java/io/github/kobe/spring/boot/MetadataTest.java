package io.github.kobe.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Do editors learn of every property? If a change is intended, copy the generated file over the expected one. */
class MetadataTest {

    @Test
    void theGeneratedMetadataIsAsExpected() throws IOException {
        assertThat(read("/META-INF/spring-configuration-metadata.json"))
                .isEqualToNormalizingNewlines(read("/expected-configuration-metadata.json"));
    }

    private static String read(String resource) throws IOException {
        try (InputStream in = MetadataTest.class.getResourceAsStream(resource)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        }
    }
}
