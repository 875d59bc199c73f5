package io.github.kobe.internal;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What attempts before the last one threw. Written by one thread at a time; a timeout may look at it at any time. */
public final class Attempts {

    private volatile @Nullable List<Throwable> earlier; // replaced rather than changed

    /** None has failed. */
    public Attempts() {}

    /** One more has failed, and there will be another. */
    public void add(Throwable fault) {
        List<Throwable> all = new ArrayList<>(earlier());
        all.add(fault);
        earlier = all;
    }

    private List<Throwable> earlier() {
        List<Throwable> known = earlier;
        return known == null ? List.of() : known;
    }

    /** Suppresses the earlier ones in {@code last}. */
    public <E extends Throwable> E suppressedIn(E last) {
        earlier().forEach(fault -> Both.suppress(fault, last));
        return last;
    }
}
