package io.github.kobe.redis.kit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Counts, over several processes, how many tasks of a group run at the same time. It is exact: {@link #begin} and {@link #end} are one compare-and-set
 * each, on a word that all processes map into their memory.
 *
 * <p>A group has two words. The first one has 8 bits for each of 6 processes, which are the tasks that it runs now, and in the
 * highest 16 bits the largest sum that there ever was. So what a killed process ran can be taken off, exactly: {@link #forget}. The second word
 * counts all tasks that have begun.
 *
 * <p>Thread-safe, for threads of all processes.
 */
public final class Referee {

    /** The most processes at the same time. */
    public static final int MAX_PROCESSES = 6;

    private static final int BITS = 8;
    private static final long MASK = (1L << BITS) - 1;
    private static final int MAX_SHIFT = BITS * MAX_PROCESSES;
    private static final int WORDS = 2;
    private static final VarHandle WORD = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final MappedByteBuffer words;
    private final int groups;

    private Referee(MappedByteBuffer words, int groups) {
        this.words = words;
        this.groups = groups;
    }

    /**
     * Opens the referee of a file. It begins at zero if the file does not exist.
     *
     * @param file the file, the same in all processes
     * @param groups the number of groups, the same in all processes
     */
    public static Referee open(Path file, int groups) {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            long bytes = (long) groups * WORDS * Long.BYTES;
            return new Referee(channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes), groups);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Is called before the first instruction of a task's work. Returns how many run now, this one included. */
    public int begin(int process, int group) {
        long unit = 1L << shiftOf(process);
        int at = indexOf(group);
        while (true) {
            long word = (long) WORD.getVolatile(words, at);
            if (runningOf(process, word) == MASK) {
                throw new IllegalStateException(
                        "process " + process + " runs more than " + MASK + " tasks of group " + group);
            }
            long now = sum(word) + 1;
            long most = Math.max(word >>> MAX_SHIFT, now);
            long next = (most << MAX_SHIFT) | ((word + unit) & ((1L << MAX_SHIFT) - 1));
            if (WORD.compareAndSet(words, at, word, next)) {
                WORD.getAndAdd(words, at + Long.BYTES, 1L);
                return (int) now;
            }
        }
    }

    /** Is called after the last instruction of a task's work. */
    public void end(int process, int group) {
        long unit = 1L << shiftOf(process);
        int at = indexOf(group);
        while (true) {
            long word = (long) WORD.getVolatile(words, at);
            if (runningOf(process, word) == 0) {
                throw new IllegalStateException("process " + process + " runs no task of group " + group);
            }
            if (WORD.compareAndSet(words, at, word, word - unit)) {
                return;
            }
        }
    }

    /** Takes off what a process ran that was killed. Is called when it is gone, and before another one gets its number. */
    public void forget(int process) {
        long all = MASK << shiftOf(process);
        for (int group = 0; group < groups; group++) {
            int at = indexOf(group);
            long word;
            do {
                word = (long) WORD.getVolatile(words, at);
            } while (!WORD.compareAndSet(words, at, word, word & ~all));
        }
    }

    /** Returns how many tasks of a group run now, in all processes. */
    public int running(int group) {
        return (int) sum((long) WORD.getVolatile(words, indexOf(group)));
    }

    /** Returns how many tasks of a group a process runs now. */
    public int running(int process, int group) {
        return (int) runningOf(process, (long) WORD.getVolatile(words, indexOf(group)));
    }

    /** Returns the largest number of tasks of a group that ever ran at the same time. */
    public int max(int group) {
        return (int) ((long) WORD.getVolatile(words, indexOf(group)) >>> MAX_SHIFT);
    }

    /** Returns how many tasks of a group have begun. */
    public long begun(int group) {
        return (long) WORD.getVolatile(words, indexOf(group) + Long.BYTES);
    }

    /** Returns the largest number of tasks that ran at the same time, and makes it that which runs now, in one step: to look at what follows alone. */
    public int takeMax(int group) {
        int at = indexOf(group);
        long word;
        long next;
        do {
            word = (long) WORD.getVolatile(words, at);
            next = (sum(word) << MAX_SHIFT) | (word & ((1L << MAX_SHIFT) - 1));
        } while (!WORD.compareAndSet(words, at, word, next));
        return (int) (word >>> MAX_SHIFT);
    }

    private static int shiftOf(int process) {
        if (process < 0 || process >= MAX_PROCESSES) {
            throw new IllegalArgumentException(
                    "process must be between 0 and " + (MAX_PROCESSES - 1) + ", but is " + process);
        }
        return process * BITS;
    }

    private int indexOf(int group) {
        if (group < 0 || group >= groups) {
            throw new IllegalArgumentException("group must be between 0 and " + (groups - 1) + ", but is " + group);
        }
        return group * WORDS * Long.BYTES;
    }

    private static long runningOf(int process, long word) {
        return (word >>> shiftOf(process)) & MASK;
    }

    private static long sum(long word) {
        long sum = 0;
        for (int process = 0; process < MAX_PROCESSES; process++) {
            sum += runningOf(process, word);
        }
        return sum;
    }
}
