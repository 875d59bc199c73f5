package io.github.kobe.docs;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

/** The pages of the project. */
final class Pages {

    static final Path ROOT = root();

    private Pages() {}

    /** The root of the project, from whichever directory the tests are started. */
    private static Path root() {
        Path dir = Path.of("").toAbsolutePath();
        while (dir != null && !Files.exists(dir.resolve("docs/adr"))) {
            dir = dir.getParent();
        }
        if (dir == null) {
            throw new AssertionError("no project directory above " + Path.of("").toAbsolutePath());
        }
        return dir;
    }

    static Markdown page(String name) {
        return Markdown.of(ROOT, ROOT.resolve(name));
    }

    /** Returns all pages outside build directories. */
    static List<Markdown> all() throws IOException {
        List<Markdown> pages = new ArrayList<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes) {
                String name = dir.getFileName().toString();
                boolean skip = !dir.equals(ROOT) && (name.startsWith(".") || name.equals("target"));
                return skip ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.toString().endsWith(".md")) {
                    pages.add(Markdown.of(ROOT, file));
                }
                return FileVisitResult.CONTINUE;
            }
        });
        pages.sort(java.util.Comparator.comparing(Markdown::name));
        return pages;
    }
}
