package io.tickwheel.server.logs;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.Context;
import io.tickwheel.server.config.StartException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The log as JSON: one object a line, so that nothing that is logged can begin a line of its own. */
public final class JsonLog {

    private static final String CONSOLE = "console";

    private JsonLog() {}

    /**
     * Has the log be JSON from now on.
     *
     * @throws StartException when the process was started with a configuration of Logback that is not the server's
     */
    public static void use() {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context
                && context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender(CONSOLE)
                        instanceof ConsoleAppender<ILoggingEvent> console) {
            console.stop();
            console.setEncoder(encoder(context));
            console.start();
            LibraryLogs.join();
            return;
        }
        throw new StartException("log.format is json, must not be with a configuration of Logback of your own");
    }

    /** Writes what the lines have: time, level, thread, logger, message, and the trace of what was thrown. */
    static JsonEncoder encoder(Context context) {
        JsonEncoder encoder = new JsonEncoder();
        encoder.setContext(context);
        encoder.setWithSequenceNumber(false);
        encoder.setWithNanoseconds(false);
        encoder.setWithContext(false);
        encoder.setWithMarkers(false);
        encoder.setWithMDC(false);
        encoder.setWithKVPList(false);
        encoder.setWithMessage(false);
        encoder.setWithArguments(false);
        encoder.setWithFormattedMessage(true);
        encoder.start();
        return encoder;
    }
}
