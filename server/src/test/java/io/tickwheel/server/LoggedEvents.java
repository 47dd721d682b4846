package io.tickwheel.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.tickwheel.redis.testkit.Patience;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** What is logged by anybody in this process until it is closed, but for what Vert.x says of a machine that is slow. */
public final class LoggedEvents extends AppenderBase<ILoggingEvent> implements AutoCloseable {

    private final Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
    private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();
    private final List<Logger> talkers = new ArrayList<>();

    public LoggedEvents() {
        setContext(root.getLoggerContext());
        start();
        root.addAppender(this);
    }

    @Override
    protected void append(ILoggingEvent event) {
        if (!event.getLoggerName().endsWith(".BlockedThreadChecker")) {
            event.prepareForDeferredProcessing();
            events.add(event);
        }
    }

    /** Has the class talk at DEBUG too. */
    public void debug(Class<?> talker) {
        Logger logger = (Logger) LoggerFactory.getLogger(talker);
        logger.setLevel(Level.DEBUG);
        talkers.add(logger);
    }

    /** Waits for a message that begins so. */
    public void await(String beginning) {
        List<String> messages = Patience.look(
                () -> messages(Level.TRACE), all -> all.stream().anyMatch(message -> message.startsWith(beginning)));
        assertThat(messages).as("logged").anyMatch(message -> message.startsWith(beginning));
    }

    /** The messages of at least that level. */
    public List<String> messages(Level least) {
        return events.stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(least))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    /** The messages that brought a stack trace. */
    public List<String> withStackTrace() {
        return events.stream()
                .filter(event -> event.getThrowableProxy() != null)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Override
    public void close() {
        talkers.forEach(logger -> logger.setLevel(null));
        root.detachAppender(this);
        stop();
    }
}
