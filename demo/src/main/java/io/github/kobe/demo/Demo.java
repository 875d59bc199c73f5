package io.github.kobe.demo;

/** Placeholder: shows that the build can start the demo. */
public final class Demo {
    private Demo() {}

    public static void main(String[] args) {
        System.out.println("demo runs on Java " + Runtime.version().feature());
    }
}
