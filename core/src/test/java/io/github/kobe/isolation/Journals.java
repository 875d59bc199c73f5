package io.github.kobe.isolation;

/** Nobody wants to know. */
final class Journals {

    static final CapacityPolicy.ChangeListener NONE = new CapacityPolicy.ChangeListener() {
        @Override
        public void laneChanged(String key, boolean slow) {}

        @Override
        public void reserveChanged(int from, int to) {}
    };

    private Journals() {}
}
