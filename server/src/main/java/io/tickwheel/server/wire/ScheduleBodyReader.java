package io.tickwheel.server.wire;

import com.fasterxml.jackson.core.JsonParser;
import io.tickwheel.engine.DurationText;
import io.tickwheel.engine.PushBack;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.store.OnConflict;
import io.tickwheel.target.message.TraceContext;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads one schedule body in one pass over its bytes, and refuses everything that it does not know. The payload is not
 * interpreted: its bytes are checked to be one JSON value, at most 64 levels deep, without duplicate names, and are kept as
 * they came. For one body; for one thread.
 */
public final class ScheduleBodyReader {

    static final String NO_FIELD_TWICE = "must be there at most once";

    private final byte[] bytes;
    private final int from;
    private final int to;
    private final ScheduleBody.Place place;
    private final TargetKinds kinds;
    private final @Nullable Supplier<@Nullable List<Duration>> levels;
    private final ScheduleBody body = new ScheduleBody();
    private int fields;
    private int dueTimes;
    private boolean base64;
    private @Nullable PlanFields plan;

    private ScheduleBodyReader(
            byte[] bytes,
            int from,
            int to,
            ScheduleBody.Place place,
            TargetKinds kinds,
            @Nullable Supplier<@Nullable List<Duration>> levels) {
        this.bytes = bytes;
        this.from = from;
        this.to = to;
        this.place = place;
        this.kinds = kinds;
        this.levels = levels;
    }

    /**
     * Reads a body from the bytes between two indexes.
     *
     * @param levels gives the delay levels of the queue, or null for the usual ones; null when they are not known yet, and the body keeps the number
     * @throws ProblemException when the bytes are no schedule body
     */
    public static ScheduleBody read(
            byte[] bytes,
            int from,
            int to,
            ScheduleBody.Place place,
            TargetKinds kinds,
            @Nullable Supplier<@Nullable List<Duration>> levels) {
        ScheduleBodyReader reader = new ScheduleBodyReader(bytes, from, to, place, kinds, levels);
        return JsonBody.read(bytes, from, to, reader::read);
    }

    private ScheduleBody read(JsonParser json) throws IOException {
        for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            json.nextToken();
            fields++;
            field(json, name);
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
            case "dueAt" -> body.dueAt = due(FieldValues.time(json, name));
            case "delayLevel" -> level(json, name);
            case "payload" -> payload(json);
            case "payloadBase64" -> payloadBase64(json);
            case "contentType" -> body.contentType = mediaType(json);
            case "headers" -> body.headers = headers(json);
            case "target" -> body.destination = TargetReader.read(json, kinds);
            case "retry" -> body.retry = RetryFields.read(json);
            case "onConflict" -> body.onConflict = FieldValues.onConflict(json, place);
            case "expireAfter" -> body.expireAfter = FieldValues.expireAfter(json);
            case "maxWait" -> body.maxWait = FieldValues.maxWait(json);
            case "touchable" -> body.isTouchable = FieldValues.flag(json, name);
            case "schedule" -> body.schedule = ScheduleFields.read(json);
            case "plan" -> {
                onlyInABatch(name);
                plan = PlanFields.read(json);
            }
            case "run" -> {
                onlyInABatch(name);
                body.isRun = FieldValues.flag(json, name);
            }
            case "durability" ->
                body.durability = FieldValues.checked(json, name, ProblemCode.INVALID_CHOICE, FieldValues::durability);
            case "key" -> body.key = named(json, name);
            case "cancel" -> body.cancelKey = named(json, name);
            case "touch" -> body.touchKey = named(json, name);
            case "pushBack" -> body.pushBack = pushBack(json);
            case "id", "version", "state", "previous", "attempts", "queue" ->
                throw FieldValues.problem(
                        ProblemCode.FIELD_NOT_ALLOWED, name + " is set by the server, must not be sent", name);
            default -> throw FieldValues.unknownField(name);
        }
    }

    private void finish() {
        if (body.cancelKey != null || body.touchKey != null) {
            if (fields > (body.durability == null ? 1 : 2)) {
                String name = body.cancelKey != null ? "cancel" : "touch";
                throw FieldValues.problem(
                        ProblemCode.FIELD_NOT_ALLOWED, name + " goes with durability only in its line", name);
            }
            return;
        }
        checkPushBack();
        checkPlan();
        if (dueTimes > 1 || (dueTimes == 0 && body.schedule == null && place.needsDue())) {
            throw dueTimes == 0
                    ? FieldValues.problem(
                            ProblemCode.DUE_TIME_MISSING,
                            "one of delay, dueAt and delayLevel must be there"
                                    + (place.takes("schedule") ? ", or schedule" : ""))
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

    private void checkPushBack() {
        if (body.maxWait != null && body.onConflict != OnConflict.LATEST) {
            throw FieldValues.problem(
                    ProblemCode.FIELD_NOT_ALLOWED, "maxWait goes with onConflict latest only", "maxWait");
        }
        if (body.pushBack != null && (body.maxWait != null || body.isTouchable)) {
            throw FieldValues.problem(
                    ProblemCode.FIELD_NOT_ALLOWED, "pushBack goes without maxWait and touchable only", "pushBack");
        }
    }

    private void checkPlan() {
        boolean isDueAt = body.dueAt != null && dueTimes == 1;
        if (plan != null) {
            if (body.schedule == null || !isDueAt) {
                throw FieldValues.problem(
                        ProblemCode.FIELD_NOT_ALLOWED, "plan goes with schedule and dueAt only", "plan");
            }
            body.plan = plan.of(body.schedule);
        }
        if (body.isRun && (body.schedule != null || body.key == null || !isDueAt || body.maxWait != null)) {
            throw FieldValues.problem(
                    ProblemCode.FIELD_NOT_ALLOWED, "run goes with key and dueAt, and without schedule, only", "run");
        }
    }

    private void level(JsonParser json, String name) throws IOException {
        List<Duration> ofQueue = levels == null ? null : levels.get();
        int last = levels == null ? QueueSettings.MOST_LEVELS : ScheduleBody.lastLevel(ofQueue);
        body.delayLevel = due((int) FieldValues.integer(json, name, 1, last));
        if (levels != null) {
            body.takeLevels(ofQueue);
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

    private PushBack pushBack(JsonParser json) throws IOException {
        onlyInABatch("pushBack");
        return PushBackFields.read(json);
    }

    private void onlyInABatch(String name) {
        if (place != ScheduleBody.Place.BATCH_LINE) {
            throw FieldValues.problem(
                    ProblemCode.FIELD_NOT_ALLOWED, name + " is for lines of a batch, must not be in this body", name);
        }
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
        body.payload = FieldValues.checked(json, "payloadBase64", ProblemCode.INVALID_BASE64, Base64Text::decode);
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
            String value = FieldValues.text(json, field);
            try {
                CallbackHeaders.checkValue(value);
            } catch (IllegalArgumentException e) {
                // Without the value: it may be a password of the receiver.
                throw FieldValues.problem(
                        ProblemCode.INVALID_HEADER, "the value of " + field + " " + e.getMessage(), field);
            }
            if (name.equalsIgnoreCase(TraceContext.PARENT) && !TraceContext.isParent(value)) {
                throw FieldValues.problem(
                        ProblemCode.INVALID_HEADER,
                        field + " is " + Excerpt.quoted(value)
                                + ", must be as W3C Trace Context has it: 00, a trace, a span and flags, in small hex digits"
                                + " with '-' between",
                        field);
            }
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
}
