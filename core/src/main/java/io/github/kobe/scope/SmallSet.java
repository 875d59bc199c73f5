package io.github.kobe.scope;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A set, in the order in which its elements came, that costs next to nothing while it is empty. To be guarded by whoever has it. */
final class SmallSet<E> {

    private @Nullable Set<E> elements; // made when needed

    void add(E element) {
        if (elements == null) {
            elements = new LinkedHashSet<>();
        }
        elements.add(element);
    }

    void remove(E element) {
        if (elements != null) {
            elements.remove(element);
        }
    }

    List<E> copy() {
        return elements == null ? List.of() : List.copyOf(elements);
    }
}
