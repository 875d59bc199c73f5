package io.github.kobe.stress;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import org.openjdk.jcstress.JCStress;
import org.openjdk.jcstress.Options;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.infra.Status;
import org.openjdk.jcstress.infra.collectors.DiskReadCollector;
import org.openjdk.jcstress.infra.collectors.InProcessCollector;
import org.openjdk.jcstress.infra.collectors.TestResult;
import org.openjdk.jcstress.infra.grading.ReportUtils;

/**
 * Runs the broken twins, and succeeds only if each of them was caught. This proves that the races can fail.
 *
 * <p>Takes the arguments of jcstress; {@code -t} must select twins.
 */
public final class TwinsMustFail {

    private TwinsMustFail() {}

    /** Exits with 0 if every twin showed an outcome that its race forbids, else with 1. */
    public static void main(String[] args) throws Exception {
        Options options = new Options(args);
        if (!options.parse()) {
            System.exit(1);
        }
        JCStress jcstress = new JCStress(options);
        SortedSet<String> twins = jcstress.getTests();
        run(jcstress);
        List<String> escaped = escaped(twins, forbiddenSeen(options.getResultFile()));
        System.exit(twins.isEmpty() || !escaped.isEmpty() ? 1 : 0);
    }

    private static void run(JCStress jcstress) throws Exception {
        try {
            jcstress.run();
        } catch (AssertionError expected) {
            System.out.println("Expected failure of jcstress: " + expected.getMessage());
        }
    }

    /** How often each test showed a forbidden outcome. A test that failed in another way does not count as caught. */
    private static Map<String, Long> forbiddenSeen(String resultFile) throws IOException, ClassNotFoundException {
        InProcessCollector results = new InProcessCollector();
        DiskReadCollector reader = new DiskReadCollector(resultFile, results);
        reader.dump();
        reader.close();
        Map<String, Long> seen = new TreeMap<>();
        for (TestResult result : ReportUtils.mergedByName(results.getTestResults())) {
            if (result.status() == Status.NORMAL) {
                seen.put(result.getName(), forbidden(result));
            }
        }
        return seen;
    }

    private static long forbidden(TestResult result) {
        return result.grading().gradingResults.values().stream()
                .filter(graded -> graded.expect == Expect.FORBIDDEN)
                .mapToLong(graded -> graded.count)
                .sum();
    }

    private static List<String> escaped(SortedSet<String> twins, Map<String, Long> forbiddenSeen) {
        List<String> escaped = new ArrayList<>();
        for (String twin : twins) {
            long seen = forbiddenSeen.getOrDefault(twin, 0L);
            System.out.printf("%-8s %9d forbidden  %s%n", seen > 0 ? "caught" : "ESCAPED", seen, twin);
            if (seen == 0) {
                escaped.add(twin);
            }
        }
        System.out.printf("%d of %d twins caught%n", twins.size() - escaped.size(), twins.size());
        return escaped;
    }
}
