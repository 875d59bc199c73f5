package io.github.kobe.benchmarks;

/** Placeholder: shows that the build can start a measurement. */
public final class Figures {
    private Figures() {}

    public static void main(String[] args) {
        System.out.println("figures run on Java " + Runtime.version().feature());
    }
}
