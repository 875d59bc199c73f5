package io.github.kobe.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Determines the file of the report before the run starts, so that a wrong file name fails at once. */
final class ReportFile {

    private ReportFile() {}

    /**
     * Returns the file and creates its directory.
     *
     * @param directory {@code --report} is relative to this directory
     * @throws IllegalArgumentException if the file cannot be written
     */
    static Path of(DemoOptions options, Path directory) {
        Path option = options.report();
        Path file = (option == null
                        ? Path.of("target", "demo-" + options.scenario().name() + ".html")
                        : directory.resolve(option))
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
