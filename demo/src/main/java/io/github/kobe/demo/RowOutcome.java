package io.github.kobe.demo;

import java.util.List;

/**
 * What came of a role on one side.
 *
 * @param role whose
 * @param samples its waits; those that were not over at the end last
 * @param arrived how many tasks or requests came
 * @param ended how many parts of work have ended
 * @param peak how many ran at once at most
 * @param beyondLimit how many began when as many ran as may
 * @param busySeconds how long they ran, all together
 * @param leaked how many went on running when nobody waited for them any more
 * @param leaking how many of those did at the end
 * @param leakedSeconds for how long, all together
 */
record RowOutcome(
        Role role,
        List<Sample> samples,
        int arrived,
        int ended,
        int peak,
        int beyondLimit,
        double busySeconds,
        int leaked,
        int leaking,
        double leakedSeconds) {}
