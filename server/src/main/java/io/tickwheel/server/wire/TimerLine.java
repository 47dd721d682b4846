package io.tickwheel.server.wire;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.tickwheel.engine.TimerContent;
import io.tickwheel.engine.TimerPlans;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A timer as a line of an export: {@code {"queue", "id", "version", "state", "attempts", "attemptAt", "timer": {...}}}, where
 * {@code timer} is a line as {@code timers:batch} takes it, and {@code attemptAt} is there when it is not the due time.
 *
 * @param state null when the line does not say
 * @param timer as {@code timers:batch} takes it
 * @param body what {@code timer} says
 */
public record TimerLine(String queue, @Nullable String state, byte[] timer, ScheduleBody body) {

    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .streamReadConstraints(JsonBody.LIMITS)
            .build();

    /** The whole line, or just what {@code timers:batch} takes. */
    public static JsonOut write(TimerView view, byte[] content, boolean bare, TargetKinds kinds) {
        JsonOut out = new JsonOut(256 + content.length * 4 / 3);
        if (bare) {
            return body(out, view, content, kinds);
        }
        out.open('{');
        out.field("queue").string(view.key().queue());
        out.field("id").string(view.id());
        out.field("version").number(view.version());
        out.field("state").string(view.state().name());
        out.field("attempts").number(view.attempts());
        if (view.attemptAtMs() != view.dueAtMs()) {
            out.field("attemptAt").string(TimeText.format(view.attemptAtMs()));
        }
        out.field("timer");
        return body(out, view, content, kinds).close('}');
    }

    private static JsonOut body(JsonOut out, TimerView view, byte[] bytes, TargetKinds kinds) {
        out.open('{');
        out.field("key").string(view.key().key());
        if (TimerPlans.isRunKey(view.key().key())) {
            out.field("run").raw("true");
        }
        out.field("dueAt").string(TimeText.format(view.dueAtMs()));
        TimerContent content;
        try {
            content = TimerContent.decode(bytes);
        } catch (IllegalArgumentException e) {
            // No import takes it: rather that than another content.
            out.field("contentBase64").string(ContentJson.base64(bytes));
            return out.close('}');
        }
        ContentJson.writeFields(out, content, false, kinds);
        return out.close('}');
    }

    /**
     * Reads a line. A {@code delayLevel} stays a number, as the line does not know the levels of its queue.
     *
     * @param queue the queue of a line that is bare; null when lines say it themselves
     * @throws ProblemException when the line is neither
     */
    public static TimerLine read(byte[] line, @Nullable String queue, TargetKinds kinds) {
        if (queue != null) {
            return new TimerLine(queue, null, line, body(line, 0, line.length, kinds));
        }
        JsonBytes.check(line, 0, line.length);
        String named = null;
        String state = null;
        byte[] timer = new byte[0];
        ScheduleBody body = null;
        try (JsonParser json = JSON.createParser(line)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw malformed("must be a JSON object");
            }
            for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
                json.nextToken();
                switch (name) {
                    case "queue" -> named = FieldValues.text(json, name);
                    case "state" -> state = FieldValues.text(json, name);
                    case "id", "version", "attempts", "attemptAt" -> json.skipChildren();
                    case "timer" -> {
                        int from = (int) json.currentTokenLocation().getByteOffset();
                        json.skipChildren();
                        json.finishToken();
                        int to = (int) json.currentLocation().getByteOffset();
                        body = body(line, from, to, kinds);
                        timer = Arrays.copyOfRange(line, from, to);
                    }
                    default -> throw FieldValues.unknownField(name);
                }
            }
            if (json.nextToken() != null) {
                throw malformed("goes on after the object");
            }
        } catch (IOException e) {
            throw malformed("is not JSON, or has a name twice");
        }
        if (named == null || body == null) {
            throw malformed("must have queue and timer");
        }
        return new TimerLine(named, state, timer, body);
    }

    /** The same, due at another time: where it has {@code dueAt}, as lines of an export do. */
    public TimerLine dueAt(Instant due, TargetKinds kinds) {
        try (JsonParser json = JSON.createParser(timer)) {
            json.nextToken();
            for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
                json.nextToken();
                if (!name.equals("dueAt")) {
                    json.skipChildren();
                    continue;
                }
                int from = (int) json.currentTokenLocation().getByteOffset();
                json.finishToken();
                int to = (int) json.currentLocation().getByteOffset();
                ByteArrayOutputStream moved = new ByteArrayOutputStream(timer.length);
                moved.write(timer, 0, from);
                moved.writeBytes(('"' + TimeText.format(due.toEpochMilli()) + '"').getBytes(StandardCharsets.US_ASCII));
                moved.write(timer, to, timer.length - to);
                byte[] bytes = moved.toByteArray();
                return new TimerLine(queue, state, bytes, body(bytes, 0, bytes.length, kinds));
            }
        } catch (IOException e) {
            throw malformed("is not JSON, or has a name twice");
        }
        return this;
    }

    private static ScheduleBody body(byte[] line, int from, int to, TargetKinds kinds) {
        ScheduleBody body = ScheduleBodyReader.read(line, from, to, ScheduleBody.Place.BATCH_LINE, kinds, null);
        if (body.key == null) {
            throw malformed("has no key");
        }
        return body;
    }

    private static ProblemException malformed(String rule) {
        return FieldValues.problem(ProblemCode.MALFORMED_JSON, "the line " + rule);
    }

    /** Whether it is a recurring timer, which makes timers of its own. */
    public boolean isPlan() {
        return body.schedule() != null;
    }

    public boolean isDead() {
        return TimerState.DEAD.name().equals(state);
    }
}
