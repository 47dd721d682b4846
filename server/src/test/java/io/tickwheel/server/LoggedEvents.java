package io.tickwheel.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** What is logged by anybody in this process until it is closed. */
final class LoggedEvents extends AppenderBase<ILoggingEvent> implements AutoCloseable {

    private final Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
    private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();

    LoggedEvents() {
        setContext(root.getLoggerContext());
        start();
        root.addAppender(this);
    }

    @Override
    protected void append(ILoggingEvent event) {
        event.prepareForDeferredProcessing();
        events.add(event);
    }

    /** The messages of at least that level. */
    List<String> messages(Level least) {
        return events.stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(least))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    /** The messages that brought a stack trace. */
    List<String> withStackTrace() {
        return events.stream()
                .filter(event -> event.getThrowableProxy() != null)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Override
    public void close() {
        root.detachAppender(this);
        stop();
    }
}
