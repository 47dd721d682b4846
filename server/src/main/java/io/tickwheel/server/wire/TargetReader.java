package io.tickwheel.server.wire;

import com.fasterxml.jackson.core.JsonParser;
import io.tickwheel.engine.Destination;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Reads the {@code target} of a body: {@code {"url": ..., "method": ...}} or {@code {"log": {}}}. */
public final class TargetReader {

    public static final String HTTP = "http";
    public static final String LOG = "log";

    private TargetReader() {}

    static Destination read(JsonParser json) throws IOException {
        FieldValues.object(json, "target");
        String url = null;
        String method = null;
        boolean log = false;
        for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            json.nextToken();
            switch (name) {
                case "url" -> url = url(json);
                case "method" -> method = method(json);
                case "log" -> {
                    empty(json, "target.log");
                    log = true;
                }
                case "kafka", "rocketmq", "rabbitmq", "redisStream" ->
                    throw ScheduleBodyReader.problem(
                            ProblemCode.TARGET_NOT_AVAILABLE,
                            "target." + name + " is not available here, must be url or log",
                            "target." + name);
                default -> throw ScheduleBodyReader.unknownField("target." + name);
            }
        }
        return destination(url, method, log);
    }

    public static Destination http(String method, String url) {
        return new Destination(HTTP, method + " " + url);
    }

    public static Destination log() {
        return new Destination(LOG, "");
    }

    /**
     * Gives a method back that callbacks may have.
     *
     * @throws IllegalArgumentException with the rule that it breaks
     */
    public static String checkMethod(String method) {
        if (!HttpAddress.METHODS.contains(method)) {
            throw new IllegalArgumentException("must be one of " + String.join(", ", HttpAddress.METHODS));
        }
        return method;
    }

    private static Destination destination(@Nullable String url, @Nullable String method, boolean log) {
        if (log && url == null && method == null) {
            return log();
        }
        if (log || url == null) {
            throw ScheduleBodyReader.problem(
                    ProblemCode.TARGET_AMBIGUOUS, "target must have exactly one of url and log", "target");
        }
        return http(method == null ? "POST" : method, url);
    }

    private static String url(JsonParser json) throws IOException {
        return ScheduleBodyReader.checked(json, "target.url", ProblemCode.INVALID_URL, text -> {
            HttpAddress.of("POST", text);
            return text;
        });
    }

    private static String method(JsonParser json) throws IOException {
        return ScheduleBodyReader.checked(json, "target.method", ProblemCode.INVALID_METHOD, TargetReader::checkMethod);
    }

    private static void empty(JsonParser json, String field) throws IOException {
        FieldValues.object(json, field);
        String name = json.nextFieldName();
        if (name != null) {
            throw ScheduleBodyReader.unknownField(field + "." + name);
        }
    }
}
