package io.github.kobe.internal.kernel;

/**
 * Identifies one value of a shared limit.
 *
 * @param name the name of the shared limit
 * @param value the value that groups belong to
 */
public record SharedKey(String name, String value) {

    /** Such as "tenant 'acme'". */
    @Override
    public String toString() {
        return name + " '" + value + "'";
    }
}
