package io.tickwheel.server.wire;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.tickwheel.engine.QueueChange;
import io.tickwheel.engine.QueueDocument;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.QueueSettings.Field;
import io.tickwheel.engine.RateLimit;
import io.tickwheel.engine.SigningSecrets;
import io.tickwheel.engine.SlowStart;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * The settings of a queue as a JSON object: what is not set is not there; in a change, null takes away what is set. Of secrets only how many and since when is
 * written, which {@link #read} refuses, so that nobody who writes what was read loses them without a word.
 */
public final class QueueFields {

    private static final int MOST = Integer.MAX_VALUE;
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private QueueFields() {}

    /**
     * Reads a body.
     *
     * @param replaces whether what the body does not say is not set any more
     * @throws ProblemException when the bytes are no such body
     */
    public static QueueChange read(byte[] bytes, boolean replaces, TargetKinds kinds) {
        return JsonBody.readSecret(bytes, json -> change(json, replaces, kinds));
    }

    private static QueueChange change(JsonParser json, boolean replaces, TargetKinds kinds) throws IOException {
        QueueChange change =
                replaces ? QueueChange.replaceWith(QueueSettings.NONE) : QueueChange.set(QueueSettings.NONE);
        for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            json.nextToken();
            change = change(change, field(name), json, kinds);
        }
        return change;
    }

    private static QueueChange change(QueueChange before, Field field, JsonParser json, TargetKinds kinds)
            throws IOException {
        if (json.currentToken() == JsonToken.VALUE_NULL && !before.replaces()) {
            return before.clearing(field);
        }
        QueueSettings set = before.set().with(field, value(json, field, kinds));
        return new QueueChange(before.replaces(), before.cleared(), set);
    }

    private static Field field(String name) {
        return Arrays.stream(Field.values())
                .filter(field -> field.text().equals(name))
                .findFirst()
                .orElseThrow(() -> FieldValues.unknownField(name));
    }

    private static Object value(JsonParser json, Field field, TargetKinds kinds) throws IOException {
        String name = field.text();
        return switch (field) {
            case TARGET -> TargetReader.read(json, kinds);
            case RETRY -> RetryFields.read(json);
            case RATE -> RateFields.read(json, name, RateLimit::of);
            case SLOW_START -> slowStart(json, name);
            case CONCURRENCY -> (int) FieldValues.integer(json, name, 1, QueueSettings.MOST_CONCURRENCY);
            case PAUSED, EXCERPTS, CLOUD_EVENTS -> flag(json, name);
            case DELAY_LEVELS -> RetryFields.durations(json, name, QueueSettings.MOST_LEVELS, LONGEST);
            case EXPIRE_AFTER -> FieldValues.durationInMs(json, name, LONGEST);
            case MAX_PENDING -> FieldValues.integer(json, name, 0, 999_999_999_999_999_999L);
            case DEAD_FOR -> deadFor(json, name);
            case SECRETS -> secrets(json, name);
            case DEAD_PER_QUEUE -> (int) FieldValues.integer(json, name, 0, MOST);
        };
    }

    private static Duration deadFor(JsonParser json, String name) throws IOException {
        Duration value = FieldValues.durationInMs(json, name, LONGEST);
        if (value.compareTo(QueueSettings.SHORTEST_DEAD_FOR) < 0) {
            throw FieldValues.problem(
                    ProblemCode.OUT_OF_RANGE,
                    name + " is " + value + ", must be " + QueueSettings.SHORTEST_DEAD_FOR + " to " + LONGEST,
                    name);
        }
        return value;
    }

    private static SigningSecrets secrets(JsonParser json, String name) throws IOException {
        if (json.currentToken() != JsonToken.START_ARRAY) {
            throw FieldValues.wrongType(json, name, "an array of secrets, which no answer shows");
        }
        List<String> secrets = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            if (json.currentToken() != JsonToken.VALUE_STRING) {
                throw FieldValues.wrongType(json, name + "[" + secrets.size() + "]", "a string");
            }
            // Not as other texts are read: what breaks a rule of theirs is quoted.
            secrets.add(json.getText());
        }
        try {
            return SigningSecrets.of(secrets);
        } catch (IllegalArgumentException e) {
            throw FieldValues.problem(ProblemCode.INVALID_SECRET, String.valueOf(e.getMessage()), name);
        }
    }

    private static Boolean flag(JsonParser json, String name) {
        return switch (json.currentToken()) {
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            default -> throw FieldValues.wrongType(json, name, "true or false");
        };
    }

    private static SlowStart slowStart(JsonParser json, String name) throws IOException {
        FieldValues.object(json, name);
        Double perSecond = null;
        Instant since = null;
        for (String part = json.nextFieldName(); part != null; part = json.nextFieldName()) {
            json.nextToken();
            String field = name + "." + part;
            switch (part) {
                case "perSecond" -> perSecond = FieldValues.number(json, field, RateLimit.LEAST, RateLimit.MOST);
                case "since" -> since = FieldValues.checked(json, field, ProblemCode.INVALID_TIME, TimeText::parse);
                default -> throw FieldValues.unknownField(field);
            }
        }
        if (perSecond == null) {
            throw missing(name + ".perSecond");
        }
        return new SlowStart(perSecond, since);
    }

    private static ProblemException missing(String field) {
        return FieldValues.problem(ProblemCode.FIELD_MISSING, field + " is not there, must be", field);
    }

    /** Writes settings in such a way that {@link #read} gives the same ones; secrets themselves, or none. */
    static void writeLine(JsonOut out, QueueSettings settings, boolean withSecrets, TargetKinds kinds) {
        out.open('{');
        writeFields(out, settings.with(Field.SECRETS, null), kinds);
        if (withSecrets && settings.secrets() != null) {
            out.field(Field.SECRETS.text()).open('[');
            QueueDocument.secretsOf(settings).forEach(secret -> out.element().string(secret));
            out.close(']');
        }
        out.close('}');
    }

    /** Writes settings in such a way that {@link #read} gives the same ones, but for secrets. */
    static void write(JsonOut out, QueueSettings settings, TargetKinds kinds) {
        out.open('{');
        writeFields(out, settings, kinds);
        out.close('}');
    }

    private static void writeFields(JsonOut out, QueueSettings settings, TargetKinds kinds) {
        for (Field field : Field.values()) {
            Object value = settings.get(field);
            if (value != null) {
                write(out.field(field.text()), field, value, settings, kinds);
            }
        }
    }

    private static void write(JsonOut out, Field field, Object value, QueueSettings settings, TargetKinds kinds) {
        switch (field) {
            case TARGET -> ContentJson.target(out, Objects.requireNonNull(settings.target()), kinds);
            case RETRY -> RetryFields.write(out, Objects.requireNonNull(settings.retry()));
            case RATE -> RateFields.write(out, (RateLimit) value);
            case SLOW_START -> {
                SlowStart slow = (SlowStart) value;
                out.open('{').field("perSecond").value(slow.perSecond());
                if (slow.since() != null) {
                    out.field("since").string(slow.since().toString());
                }
                out.close('}');
            }
            case DELAY_LEVELS -> {
                out.open('[');
                for (Object level : (List<?>) value) {
                    out.element().string(ms(level));
                }
                out.close(']');
            }
            case EXPIRE_AFTER, DEAD_FOR -> out.string(ms(value));
            case SECRETS -> {
                SigningSecrets secrets = (SigningSecrets) value;
                out.open('{').field("count").number(secrets.count());
                if (secrets.since() != null) {
                    out.field("since").string(secrets.since().toString());
                }
                out.close('}');
            }
            case CONCURRENCY, PAUSED, MAX_PENDING, DEAD_PER_QUEUE, EXCERPTS, CLOUD_EVENTS -> out.value(value);
        }
    }

    private static String ms(Object duration) {
        return ((Duration) duration).toMillis() + "ms";
    }
}
