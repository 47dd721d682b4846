package io.tickwheel.server.wire;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.Plan;
import io.tickwheel.engine.PushBack;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.TimerContent;
import io.tickwheel.engine.TimerDetails;
import java.io.IOException;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a timer is to deliver, and where and how, in the fields that a schedule body has for it. */
public final class ContentJson {

    private static final String JSON_TYPE = "application/json";

    /** A larger payload is not parsed to be shown. */
    private static final int MOST_PARSED = 1 << 20;

    private static final JsonFactory JSON =
            JsonFactory.builder().streamReadConstraints(JsonBody.LIMITS).build();

    private ContentJson() {}

    /** A timer with what it is to deliver, where that is kept; {@code contentBase64} where it cannot be read. */
    public static JsonOut found(ShownTimer shown, TimerDetails details, TargetKinds kinds) {
        TimerContent content = details.content();
        int payload = content == null ? details.unreadable().length : content.payload().length;
        JsonOut out = new JsonOut(512 + payload * 4 / 3).open('{');
        TimerJson.writeFoundFields(out, shown);
        if (content != null) {
            writeFields(out, content, true, kinds);
        } else if (details.unreadable().length > 0) {
            out.field("contentBase64").string(base64(details.unreadable()));
        }
        return out.close('}');
    }

    /**
     * Writes the fields.
     *
     * @param readable whether they are to be shown: a payload that is JSON as such, and no more of a recurring timer than its schedule; else the payload is in base64,
     *     as its bytes are
     */
    static void writeFields(JsonOut out, TimerContent content, boolean readable, TargetKinds kinds) {
        writeBody(out, content.payload(), content.contentType(), content.headers(), readable);
        Destination destination = content.destination();
        if (destination != null) {
            target(out.field("target"), destination, kinds);
        }
        RetryPolicy retry = content.retry();
        if (retry != null) {
            RetryFields.write(out.field("retry"), retry);
        }
        Duration expireAfter = content.expireAfter();
        if (expireAfter != null) {
            out.field("expireAfter").string(expireAfter.toMillis() + "ms");
        }
        PushBack pushBack = content.pushBack();
        if (pushBack != null) {
            PushBackFields.write(out.field("pushBack"), pushBack);
        }
        Plan plan = content.plan();
        if (plan != null) {
            ScheduleFields.write(out.field("schedule"), plan.recurrence());
            if (!readable) {
                PlanFields.write(out.field("plan"), plan);
            }
        }
    }

    /** Writes the fields of what a receiver is sent. */
    static void writeBody(
            JsonOut out, byte[] payload, @Nullable String contentType, Map<String, String> headers, boolean readable) {
        if (readable && JSON_TYPE.equals(contentType) && isJson(payload)) {
            out.field("payload").utf8(payload);
        } else {
            if (payload.length > 0 || contentType != null) {
                out.field("payloadBase64").string(base64(payload));
            }
            if (contentType != null) {
                out.field("contentType").string(contentType);
            }
        }
        if (!headers.isEmpty()) {
            out.field("headers").open('{');
            for (Map.Entry<String, String> header : headers.entrySet()) {
                out.element().string(header.getKey()).put(':').string(header.getValue());
            }
            out.close('}');
        }
    }

    /** Whether the bytes are one JSON value: whoever scheduled it may have said so of anything. */
    private static boolean isJson(byte[] payload) {
        if (payload.length > MOST_PARSED) {
            return false;
        }
        try {
            JsonBytes.check(payload, 0, payload.length);
        } catch (ProblemException e) {
            return false;
        }
        try (JsonParser json = JSON.createParser(payload)) {
            if (json.nextToken() == null) {
                return false;
            }
            json.skipChildren();
            return json.nextToken() == null;
        } catch (IOException e) {
            return false;
        }
    }

    static void target(JsonOut out, Destination destination, TargetKinds kinds) {
        Map<String, Object> fields = kinds.write(destination);
        if (fields == null) {
            // A target of a program, or of another server: no import takes it here.
            fields = new LinkedHashMap<>();
            fields.put("name", destination.target());
            fields.put("address", destination.address());
        }
        out.value(fields);
    }

    static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }
}
