package io.tickwheel.server.wire;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.tickwheel.engine.QueueDocument;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.store.TimerKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A line of an export that holds the settings of a queue: {@code {"queue":"orders","settings":{...}}}.
 *
 * @param queue its name
 * @param settings as {@link QueueFields} writes them
 */
public record QueueLine(String queue, byte[] settings) {

    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    /**
     * Writes a document; {@code contentBase64} where it cannot be read, which no import takes, and {@code unreadableBytes} where nobody is to see what secrets it may
     * have.
     *
     * @param withSecrets whether secrets are written too, themselves
     */
    public static JsonOut write(TimerKey key, byte[] content, boolean withSecrets, TargetKinds kinds) {
        JsonOut out = new JsonOut(256).open('{');
        out.field("queue").string(QueueDocument.queueOf(key));
        QueueSettings settings;
        try {
            settings = QueueDocument.read(content);
        } catch (IllegalArgumentException e) {
            return withSecrets
                    ? out.field("contentBase64")
                            .string(ContentJson.base64(content))
                            .close('}')
                    : out.field("unreadableBytes").number(content.length).close('}');
        }
        QueueFields.writeLine(out.field("settings"), settings, withSecrets, kinds);
        return out.close('}');
    }

    /** Whether a line is one of a queue, rather than of a timer: whoever reads it then says what is wrong with it. */
    public static boolean isOne(byte[] line) {
        if (!new String(line, StandardCharsets.UTF_8).contains("\"settings\"")) {
            return false;
        }
        boolean hasSettings = false;
        try (JsonParser json = JSON.createParser(line)) {
            json.nextToken();
            for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
                json.nextToken();
                json.skipChildren();
                if (name.equals("timer")) {
                    return false;
                }
                hasSettings |= name.equals("settings");
            }
        } catch (IOException e) {
            return hasSettings;
        }
        return hasSettings;
    }

    /**
     * Reads a line that {@linkplain #isOne is one}.
     *
     * @throws ProblemException when it is broken
     */
    public static QueueLine read(byte[] line) {
        String queue = null;
        byte[] settings = null;
        try (JsonParser json = JSON.createParser(line)) {
            json.nextToken();
            for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
                json.nextToken();
                switch (name) {
                    case "queue" -> queue = FieldValues.text(json, name);
                    case "settings" -> {
                        int from = (int) json.currentTokenLocation().getByteOffset();
                        json.skipChildren();
                        json.finishToken();
                        settings = Arrays.copyOfRange(
                                line, from, (int) json.currentLocation().getByteOffset());
                    }
                    default -> throw FieldValues.unknownField(name);
                }
            }
        } catch (IOException e) {
            throw FieldValues.problem(ProblemCode.MALFORMED_JSON, "the line is not JSON, or has a name twice");
        }
        if (queue == null || settings == null) {
            throw FieldValues.problem(ProblemCode.MALFORMED_JSON, "the line must have queue and settings");
        }
        return new QueueLine(queue, settings);
    }
}
