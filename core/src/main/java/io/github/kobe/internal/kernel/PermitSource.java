package io.github.kobe.internal.kernel;

/** Where a permit came from that its holder did not take from its group. The holder gives it back there. */
interface PermitSource {

    /**
     * {@code holder} gives its permit back.
     *
     * @param start when it had got the permit; 0 if that was not recorded
     * @param now the time; 0 if it was not read
     * @param completes whether the holder completes next; false if it awaits a retry or will not start
     */
    void giveBack(KernelTask<?> holder, long start, long now, boolean completes);
}
