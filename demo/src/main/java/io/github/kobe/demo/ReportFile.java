package io.github.kobe.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where the report goes. Found out before anything is played, so that nobody watches in vain. */
final class ReportFile {

    private ReportFile() {}

    /**
     * The file, in a directory that exists.
     *
     * @param directory what {@code --report} is relative to
     * @throws IllegalArgumentException if it cannot be written
     */
    static Path of(Options options, Path directory) {
        Path asked = options.report();
        Path file = (asked == null
                        ? Path.of("target", "demo-" + options.scenario().name() + ".html")
                        : directory.resolve(asked))
                .toAbsolutePath()
                .normalize();
        if (!canWrite(file)) {
            throw new IllegalArgumentException("--report must be a file that can be written, but is '" + file + "'");
        }
        return file;
    }

    private static boolean canWrite(Path file) {
        Path parent = file.getParent();
        if (parent == null || Files.isDirectory(file)) {
            return false;
        }
        try {
            Files.createDirectories(parent);
        } catch (IOException e) {
            return false;
        }
        return Files.isWritable(Files.exists(file) ? file : parent);
    }
}
