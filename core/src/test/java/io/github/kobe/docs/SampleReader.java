package io.github.kobe.docs;

import io.github.kobe.docs.Markdown.Comment;
import io.github.kobe.docs.Markdown.Fence;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the Java on a page. Every block marked {@code java} is the body of a method, which is compiled and run on its own. Its class
 * extends {@link SampleBase} and imports this library and common parts of {@code java.util}. Import statements are moved to the top.
 * Comments, which readers do not see, contain directives:
 *
 * <pre>
 *   &lt;!-- sample: goes on --&gt;   the next Java block continues the method of the previous block
 *   &lt;!-- sample: prints --&gt;    the next block is the output of the previous Java; … matches any text within a line
 *   &lt;!-- sample: shown --&gt;     the next Java block is not compiled; only for code of other libraries
 *   &lt;!-- sample: compiled by consumer-checks --&gt;
 *                              the next Java block uses a module outside the core; IntegrationPagesTest compiles it
 *   &lt;!-- sample: part of examples/spring-boot --&gt;
 *                              the next block is a part of a file of that module; GuidePageTest there checks it
 *   &lt;!-- sample
 *   hidden Java that is prepended to the next Java block
 *   --&gt;
 * </pre>
 */
final class SampleReader {

    private final Markdown page;
    private final List<Sample> samples = new ArrayList<>();
    private final List<Fence> shown = new ArrayList<>();
    private final List<Fence> compiledElsewhere = new ArrayList<>();
    private final List<Comment> hidden = new ArrayList<>();
    private @Nullable Comment directive;

    private SampleReader(Markdown page) {
        this.page = page;
    }

    /** Returns the samples that are compiled and run. */
    static List<Sample> samples(Markdown page) {
        return new SampleReader(page).read().samples;
    }

    /** Returns the samples that are not. */
    static List<Fence> shown(Markdown page) {
        return new SampleReader(page).read().shown;
    }

    /** Returns the samples that use modules outside the core. */
    static List<Fence> compiledElsewhere(Markdown page) {
        return new SampleReader(page).read().compiledElsewhere;
    }

    private SampleReader read() {
        for (Markdown.Part part : page.parts()) {
            switch (part) {
                case Comment comment -> comment(comment);
                case Fence fence -> fence(fence);
                default -> {}
            }
        }
        Comment left = directive != null ? directive : hidden.isEmpty() ? null : hidden.getLast();
        if (left != null) {
            throw new AssertionError(page.at(left.line()) + ": no block follows that this could be about");
        }
        return this;
    }

    private void comment(Comment comment) {
        String first = comment.lines().getFirst().strip();
        if (first.equals("sample")) {
            hidden.add(comment);
        } else if (first.startsWith("sample")) {
            if (directive != null) {
                throw new AssertionError(page.at(directive.line()) + ": no block follows that this could be about");
            }
            directive = comment;
        }
    }

    private void fence(Fence fence) {
        boolean java = fence.language().equalsIgnoreCase("java");
        Comment about = directive;
        if (about == null) {
            if (java) {
                start(fence);
            }
            return;
        }
        directive = null;
        String word = about.lines().getFirst().strip();
        if (word.equals("sample: prints") && !java) {
            last(about).prints(fence.line(), fence.lines());
        } else if (word.equals("sample: goes on") && java) {
            addTo(last(about), fence);
        } else if (word.equals("sample: shown") && java) {
            shown.add(fence);
        } else if (word.equals("sample: compiled by consumer-checks") && java) {
            compiledElsewhere.add(fence);
        } else if (word.equals("sample: part of examples/spring-boot")) {
            if (java) {
                compiledElsewhere.add(fence);
            }
        } else {
            throw new AssertionError(page.at(about.line()) + ": '" + word + "' says nothing about a block of '"
                    + fence.language() + "'");
        }
    }

    private void start(Fence fence) {
        Sample sample = new Sample(page, fence.line());
        samples.add(sample);
        addTo(sample, fence);
    }

    private void addTo(Sample sample, Fence fence) {
        for (Comment comment : hidden) {
            sample.add(comment.line(), code(comment));
        }
        hidden.clear();
        sample.add(fence.line(), fence.lines());
    }

    /** Replaces the directive by an empty line, so that line numbers stay the same. */
    private static List<String> code(Comment comment) {
        List<String> lines = new ArrayList<>(comment.lines());
        lines.set(0, "");
        return lines;
    }

    private Sample last(Comment about) {
        if (samples.isEmpty()) {
            throw new AssertionError(page.at(about.line()) + ": no Java comes before this");
        }
        return samples.getLast();
    }
}
