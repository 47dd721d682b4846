package io.tickwheel.server.wire;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import io.tickwheel.engine.DelayLevels;
import java.io.IOException;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads one schedule body in one pass over its bytes, and refuses everything that it does not know. The payload is not
 * interpreted: its bytes are checked to be one JSON value, at most 64 levels deep, without duplicate names, and are kept as
 * they came. For one body; for one thread.
 */
public final class ScheduleBodyReader {

    static final int MAX_NESTING = 64;
    static final String NO_FIELD_TWICE = "must be there at most once";

    private static final JsonFactory JSON = JsonFactory.builder()
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(MAX_NESTING).build())
            .build();

    private final byte[] bytes;
    private final int from;
    private final int to;
    private final ScheduleBody.Place place;
    private final TargetKinds kinds;
    private final ScheduleBody body = new ScheduleBody();
    private int fields;
    private int dueTimes;
    private boolean base64;

    private ScheduleBodyReader(byte[] bytes, int from, int to, ScheduleBody.Place place, TargetKinds kinds) {
        this.bytes = bytes;
        this.from = from;
        this.to = to;
        this.place = place;
        this.kinds = kinds;
    }

    /**
     * Reads a body from the bytes between two indexes.
     *
     * @throws ProblemException when the bytes are no schedule body
     */
    public static ScheduleBody read(byte[] bytes, int from, int to, ScheduleBody.Place place, TargetKinds kinds) {
        JsonBytes.check(bytes, from, to);
        ScheduleBodyReader reader = new ScheduleBodyReader(bytes, from, to, place, kinds);
        try (JsonParser json = JSON.createParser(bytes, from, to - from)) {
            try {
                return reader.read(json);
            } catch (StreamConstraintsException e) {
                throw FieldValues.problem(ProblemCode.JSON_LIMIT, e.getOriginalMessage());
            } catch (IOException | IllegalStateException e) {
                throw malformed(json, e);
            }
        } catch (IOException e) {
            throw FieldValues.problem(ProblemCode.MALFORMED_JSON, "the body cannot be read");
        }
    }

    private ScheduleBody read(JsonParser json) throws IOException {
        JsonToken start = json.nextToken();
        if (start == null) {
            throw FieldValues.problem(ProblemCode.MALFORMED_JSON, "the body is empty, must be a JSON object");
        }
        if (start != JsonToken.START_OBJECT) {
            throw FieldValues.problem(ProblemCode.WRONG_TYPE, "the body must be a JSON object");
        }
        for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            json.nextToken();
            fields++;
            field(json, name);
        }
        if (json.nextToken() != null) {
            throw FieldValues.problem(ProblemCode.MALFORMED_JSON, "the body goes on after the object, must end there");
        }
        finish();
        return body;
    }

    private void field(JsonParser json, String name) throws IOException {
        if (!place.takes(name)) {
            throw FieldValues.problem(
                    ProblemCode.FIELD_NOT_ALLOWED, name + " is not for this call, must not be in its body", name);
        }
        switch (name) {
            case "delay" ->
                body.delay = due(FieldValues.checked(json, name, ProblemCode.INVALID_DURATION, DurationText::parse));
            case "dueAt" -> body.dueAt = due(FieldValues.dueAt(json));
            case "delayLevel" ->
                body.delay = due(DelayLevels.delay((int) FieldValues.integer(json, name, 1, DelayLevels.LAST)));
            case "payload" -> payload(json);
            case "payloadBase64" -> payloadBase64(json);
            case "contentType" -> body.contentType = mediaType(json);
            case "headers" -> body.headers = headers(json);
            case "target" -> body.destination = TargetReader.read(json, kinds);
            case "retry" -> body.retry = RetryFields.read(json);
            case "onConflict" -> body.onConflict = FieldValues.onConflict(json, place);
            case "expireAfter" -> body.expireAfter = FieldValues.expireAfter(json);
            case "durability" ->
                body.durability = FieldValues.checked(json, name, ProblemCode.INVALID_CHOICE, FieldValues::durability);
            case "key" -> body.key = named(json, name);
            case "cancel" -> body.cancelKey = named(json, name);
            case "id", "version", "state", "previous", "attempts", "queue" ->
                throw FieldValues.problem(
                        ProblemCode.FIELD_NOT_ALLOWED, name + " is set by the server, must not be sent", name);
            default -> throw FieldValues.unknownField(name);
        }
    }

    private void finish() {
        if (body.cancelKey != null) {
            if (fields > (body.durability == null ? 1 : 2)) {
                throw FieldValues.problem(
                        ProblemCode.FIELD_NOT_ALLOWED, "cancel goes with durability only in its line", "cancel");
            }
            return;
        }
        if (dueTimes > 1 || (dueTimes == 0 && place.needsDue())) {
            throw dueTimes == 0
                    ? FieldValues.problem(
                            ProblemCode.DUE_TIME_MISSING, "one of delay, dueAt and delayLevel must be there")
                    : FieldValues.problem(
                            ProblemCode.DUE_TIME_AMBIGUOUS,
                            dueTimes + " of delay, dueAt and delayLevel are there, must be exactly one");
        }
        if (body.contentType != null && !base64) {
            throw FieldValues.problem(
                    ProblemCode.FIELD_NOT_ALLOWED,
                    "contentType goes with payloadBase64 only: payload is application/json",
                    "contentType");
        }
        if (body.payload != null && body.contentType == null) {
            body.contentType = base64 ? "application/octet-stream" : "application/json";
        }
        if (body.payload != null && body.destination != null) {
            TargetReader.checkPayload(body.destination, kinds);
        }
    }

    private <T> T due(T value) {
        dueTimes++;
        return value;
    }

    private @Nullable String named(JsonParser json, String name) throws IOException {
        if (place != ScheduleBody.Place.BATCH_LINE) {
            throw name.equals("key")
                    ? FieldValues.problem(
                            ProblemCode.FIELD_NOT_ALLOWED, "key must not be in the body, PUT has it in the path", name)
                    : FieldValues.unknownField(name);
        }
        return FieldValues.text(json, name);
    }

    private void payload(JsonParser json) throws IOException {
        onlyPayload();
        int start = from + (int) json.currentTokenLocation().getByteOffset();
        json.skipChildren();
        json.finishToken();
        int end = from + (int) json.currentLocation().getByteOffset();
        assert start >= from && start < end && end <= to;
        body.payload = Arrays.copyOfRange(bytes, start, end);
    }

    private void payloadBase64(JsonParser json) throws IOException {
        onlyPayload();
        base64 = true;
        body.payload = FieldValues.checked(json, "payloadBase64", ProblemCode.INVALID_BASE64, text -> {
            try {
                return Base64.getDecoder().decode(text);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("must be Base64 with padding", e);
            }
        });
    }

    private void onlyPayload() {
        if (body.payload != null) {
            throw FieldValues.problem(
                    ProblemCode.PAYLOAD_AMBIGUOUS, "payload and payloadBase64 are there, must be at most one");
        }
    }

    private static String mediaType(JsonParser json) throws IOException {
        return FieldValues.checked(json, "contentType", ProblemCode.INVALID_CONTENT_TYPE, text -> {
            CallbackHeaders.checkMediaType(text);
            return text;
        });
    }

    private static Map<String, String> headers(JsonParser json) throws IOException {
        FieldValues.object(json, "headers");
        Map<String, String> headers = new LinkedHashMap<>();
        TreeSet<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        int chars = 0;
        for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            FieldValues.checkUnicode(name, "headers");
            json.nextToken();
            String field = "headers." + Excerpt.of(name);
            try {
                CallbackHeaders.checkName(name);
            } catch (IllegalArgumentException e) {
                throw FieldValues.problem(
                        ProblemCode.INVALID_HEADER,
                        "header name " + Excerpt.quoted(name) + " " + e.getMessage(),
                        field);
            }
            String value = FieldValues.checked(json, field, ProblemCode.INVALID_HEADER, text -> {
                CallbackHeaders.checkValue(text);
                return text;
            });
            if (!names.add(name)) {
                throw FieldValues.problem(
                        ProblemCode.INVALID_HEADER,
                        "header name " + Excerpt.quoted(name) + " " + NO_FIELD_TWICE,
                        field);
            }
            headers.put(name, value);
            chars += name.length() + value.length();
        }
        if (headers.size() > CallbackHeaders.MAX_COUNT || chars > CallbackHeaders.MAX_CHARS) {
            throw FieldValues.problem(
                    ProblemCode.INVALID_HEADER,
                    "headers are " + headers.size() + " with " + chars + " characters, must be at most "
                            + CallbackHeaders.MAX_COUNT + " with " + CallbackHeaders.MAX_CHARS,
                    "headers");
        }
        return headers;
    }

    /** The parser's message without its position words, which quote the source. */
    private static ProblemException malformed(JsonParser json, Exception e) {
        String name = json.getParsingContext().getCurrentName();
        String message =
                e instanceof JsonProcessingException parsing ? parsing.getOriginalMessage() : "names that collide";
        if (message.startsWith("Duplicate ") && name != null) {
            String shown = Excerpt.of(name);
            return FieldValues.problem(
                    ProblemCode.DUPLICATE_FIELD,
                    "field " + Excerpt.quoted(name) + " is there twice, " + NO_FIELD_TWICE,
                    shown);
        }
        long at = Math.max(0, json.currentLocation().getByteOffset());
        return FieldValues.problem(
                ProblemCode.MALFORMED_JSON, "the body is not JSON near byte " + at + ": " + Excerpt.of(message));
    }
}
