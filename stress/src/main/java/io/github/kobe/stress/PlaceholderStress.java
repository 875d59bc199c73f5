package io.github.kobe.stress;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Placeholder: two increments of one counter never see the same value. */
@JCStressTest
@Outcome(
        id = {"1, 2", "2, 1"},
        expect = Expect.ACCEPTABLE,
        desc = "each actor got its own number")
@State
public class PlaceholderStress {
    private final AtomicInteger counter = new AtomicInteger();

    @Actor
    public void first(II_Result r) {
        r.r1 = counter.incrementAndGet();
    }

    @Actor
    public void second(II_Result r) {
        r.r2 = counter.incrementAndGet();
    }
}
