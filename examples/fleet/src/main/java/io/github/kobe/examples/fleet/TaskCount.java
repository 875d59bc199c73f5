package io.github.kobe.examples.fleet;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Counts the tasks that run in all JVMs at the same time, exactly: one word in a file that all of them map into their memory, changed by compare-and-set. The lowest
 * three bytes are the tasks of the three nodes; the bits above are the largest sum that there ever was.
 */
final class TaskCount {

    static final int NODES = 3;

    private static final VarHandle WORD = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final MappedByteBuffer file;

    private TaskCount(MappedByteBuffer file) {
        this.file = file;
    }

    static TaskCount open(Path path) throws IOException {
        try (FileChannel channel =
                FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new TaskCount(channel.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES));
        }
    }

    void begin(int node) {
        change(1L << (8 * node), ~0L);
    }

    void end(int node) {
        change(-(1L << (8 * node)), ~0L);
    }

    /** The tasks of a JVM that was killed have ended with it. */
    void forget(int node) {
        change(0, ~(0xffL << (8 * node)));
    }

    private void change(long add, long mask) {
        long before;
        long after;
        do {
            before = word();
            long running = ((before & 0xffffff) + add) & mask & 0xffffff;
            after = (Math.max(before >>> 24, sum(running)) << 24) | running;
        } while (!WORD.compareAndSet(file, 0, before, after));
    }

    int running() {
        return sum(word());
    }

    /** Returns the largest number of tasks that ever ran at the same time. */
    int most() {
        return (int) (word() >>> 24);
    }

    private long word() {
        return (long) WORD.getVolatile(file, 0);
    }

    private static int sum(long word) {
        int sum = 0;
        for (int node = 0; node < NODES; node++) {
            sum += (int) (word >>> (8 * node)) & 0xff;
        }
        return sum;
    }
}
