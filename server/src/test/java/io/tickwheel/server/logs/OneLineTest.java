package io.tickwheel.server.logs;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Whatever somebody has us log, it begins no line of its own. */
final class OneLineTest {

    private static final String FORGED = "x\r\n12:00:00.000 ERROR Server - forged\u001b[2J\u2028y\u0000";

    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);

    @Test
    void aMessageIsOneLineOfText() {
        String written = written(text(), FORGED, null);

        assertThat(written)
                .endsWith("ERROR Talker - x  12:00:00.000 ERROR Server - forged [2J y " + System.lineSeparator());
        assertThat(written.strip().chars()).noneMatch(Character::isISOControl);
    }

    @Test
    void theMessageOfAnExceptionBeginsNoLineOfText() {
        Exception thrown = new IllegalStateException(FORGED, new IOException(FORGED));

        List<String> lines = written(text(), "failed", thrown).lines().toList();

        assertThat(lines).hasSizeGreaterThan(3);
        assertThat(lines.get(0)).endsWith("failed");
        assertThat(lines.get(1)).startsWith("java.lang.IllegalStateException: x");
        assertThat(lines.stream().skip(2)).allMatch(line -> line.startsWith("\t") || line.startsWith("Caused by: "));
        assertThat(String.join("", lines).replace("\t", "").chars()).noneMatch(Character::isISOControl);
    }

    @Test
    void aLineOfJsonIsAnObjectWithAllOfIt() throws IOException {
        String written = written(JsonLog.encoder(root.getLoggerContext()), FORGED, new IOException(FORGED));

        assertThat(written.strip().chars()).noneMatch(Character::isISOControl);
        Map<String, String> fields = fields(written);
        assertThat(fields)
                .containsEntry("level", "ERROR")
                .containsEntry("loggerName", "io.tickwheel.Talker")
                .containsEntry("formattedMessage", FORGED)
                .containsKeys("timestamp", "threadName", "throwable");
    }

    private Encoder<ILoggingEvent> text() {
        return ((ConsoleAppender<ILoggingEvent>) root.getAppender("console")).getEncoder();
    }

    private String written(Encoder<ILoggingEvent> encoder, String message, Throwable thrown) {
        Logger talker = root.getLoggerContext().getLogger("io.tickwheel.Talker");
        LoggingEvent event = new LoggingEvent("talker", talker, Level.ERROR, message, thrown, null);
        return new String(encoder.encode(event), StandardCharsets.UTF_8);
    }

    /** The fields of an object, which must be all that there is. */
    private static Map<String, String> fields(String json) throws IOException {
        Map<String, String> fields = new HashMap<>();
        try (JsonParser parser = new JsonFactory().createParser(json)) {
            assertThat(parser.nextToken()).isEqualTo(JsonToken.START_OBJECT);
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                fields.put(name, parser.getText());
                parser.skipChildren();
            }
            assertThat(parser.nextToken()).isNull();
        }
        return fields;
    }
}
