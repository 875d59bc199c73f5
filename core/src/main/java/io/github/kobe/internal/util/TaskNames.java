package io.github.kobe.internal.util;

import java.util.Objects;

/** The names of tasks that were submitted without one: the name of the task's class, or, for a lambda, that of the class that contains it. */
public final class TaskNames extends ClassValue<String> {

    private static final TaskNames NAMES = new TaskNames();
    private static final String LAMBDA = "$$Lambda";

    private TaskNames() {}

    /** Returns the same string for every task of one class, so that a name takes no heap. */
    public static String nameOf(Object task) {
        return NAMES.get(Objects.requireNonNull(task, "task").getClass());
    }

    @Override
    protected String computeValue(Class<?> type) {
        String packageName = type.getPackageName();
        String name = type.getName().substring(packageName.isEmpty() ? 0 : packageName.length() + 1);
        int end = name.indexOf(LAMBDA);
        return end < 0 ? name : "lambda in " + name.substring(0, end);
    }
}
