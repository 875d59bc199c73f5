package io.github.kobe.spring.boot;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** What this library logs until it is closed: the texts, and those of exceptions. */
final class LogRecords extends Handler implements AutoCloseable {

    private static final Logger LIBRARY = Logger.getLogger("io.github.kobe");

    private final List<String> texts = new CopyOnWriteArrayList<>();

    static LogRecords start() {
        LogRecords records = new LogRecords();
        LIBRARY.addHandler(records);
        return records;
    }

    List<String> texts() {
        return texts;
    }

    @Override
    public void publish(LogRecord entry) {
        String text = new SimpleFormatter().formatMessage(entry);
        texts.add(entry.getThrown() == null ? text : text + ": " + entry.getThrown());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        LIBRARY.removeHandler(this);
    }
}
