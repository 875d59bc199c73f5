package io.github.kobe.pool;

/** What tasks of a pool are called: after their class; those that are lambdas after the class that they are written in. */
final class TaskNames extends ClassValue<String> {

    private static final TaskNames NAMES = new TaskNames();
    private static final String LAMBDA = "$$Lambda";

    private TaskNames() {}

    /** @param task as it was handed in */
    static String of(Object task) {
        return NAMES.get(task.getClass());
    }

    @Override
    protected String computeValue(Class<?> type) {
        String name = type.getName()
                .substring(
                        type.getPackageName().isEmpty()
                                ? 0
                                : type.getPackageName().length() + 1);
        int end = name.indexOf(LAMBDA);
        return end < 0 ? name : "lambda in " + name.substring(0, end);
    }
}
