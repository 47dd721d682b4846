package io.tickwheel.server.wire;

import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The kinds of refusal, each with its stable code. 400 is for what cannot be read, 422 for what was read and breaks a rule. */
public enum ProblemCode {
    MALFORMED_REQUEST(400, "malformed_request", "The request is not valid HTTP"),
    MALFORMED_PATH(400, "malformed_path", "The path cannot be read"),
    MALFORMED_QUERY(400, "malformed_query", "The query cannot be read"),
    UNKNOWN_PARAMETER(400, "unknown_parameter", "The call has no such query parameter"),
    DUPLICATE_PARAMETER(400, "duplicate_parameter", "The query parameter is there twice"),
    MALFORMED_JSON(400, "malformed_json", "The body is not valid JSON"),
    INVALID_UTF8(400, "invalid_utf8", "The body is not valid UTF-8"),
    JSON_LIMIT(400, "json_limit", "The body is nested too deeply or has too long a name or number"),
    UNKNOWN_FIELD(400, "unknown_field", "The field is not known"),
    DUPLICATE_FIELD(400, "duplicate_field", "The field is there twice"),
    FIELD_NOT_ALLOWED(400, "field_not_allowed", "The field may not be set here"),
    WRONG_TYPE(400, "wrong_type", "The value has the wrong JSON type"),
    LONE_SURROGATE(400, "lone_surrogate", "The text is not valid Unicode"),
    DUE_TIME_MISSING(400, "due_time_missing", "The timer has no due time"),
    DUE_TIME_AMBIGUOUS(400, "due_time_ambiguous", "The timer has more than one due time"),
    BODY_NOT_ALLOWED(400, "body_not_allowed", "The call takes no body"),
    PAYLOAD_AMBIGUOUS(400, "payload_ambiguous", "The timer has more than one payload"),
    TARGET_AMBIGUOUS(400, "target_ambiguous", "The target does not name exactly one destination"),
    FIELD_MISSING(400, "field_missing", "The field must be there"),

    UNAUTHENTICATED(401, "unauthenticated", "The call needs a token"),
    FORBIDDEN(403, "forbidden", "The token is not for this call"),
    UNKNOWN_TOKEN(404, "unknown_token", "No token has that id"),
    UNKNOWN_QUEUE(404, "unknown_queue", "The queue has never had a timer, and nothing is set of it"),
    UNKNOWN_BULK_RUN(404, "unknown_bulk_run", "No bulk run has that id"),
    NOT_FOUND(404, "not_found", "No timer is known under the key"),
    UNKNOWN_PATH(404, "unknown_path", "There is nothing at this path"),
    METHOD_NOT_ALLOWED(405, "method_not_allowed", "The path does not take this method"),
    REQUEST_TIMEOUT(408, "request_timeout", "The request did not arrive in time"),
    CONFLICT(409, "conflict", "The key has a live timer"),
    TOO_LATE(409, "too_late", "The timer can no longer be cancelled"),
    IDEMPOTENCY_KEY_REUSED(409, "idempotency_key_reused", "The Idempotency-Key came with another request before"),
    WRONG_STATE(409, "wrong_state", "The timer is in another state than the change is for"),
    NOT_TOUCHABLE(409, "not_touchable", "The timer does not know its delay"),
    QUEUE_NOT_PULLED(409, "queue_not_pulled", "The queue has a handler or a target"),
    QUEUE_NOT_EMPTY(409, "queue_not_empty", "The queue has timers"),
    TOKENS_OFF(409, "tokens_off", "The server asks for no tokens"),
    TOO_MANY_TOKENS(409, "too_many_tokens", "There are as many tokens as there may be"),
    LEASE_GONE(410, "lease_gone", "The lease is not held any more"),
    QUEUE_CHANGED(412, "queue_changed", "The settings of the queue are others"),
    ID_MISMATCH(412, "id_mismatch", "Another timer stands under the key, or none"),
    BODY_TOO_LARGE(413, "body_too_large", "The body is too large"),
    TOO_MANY_LINES(413, "too_many_lines", "The batch has too many lines"),
    URI_TOO_LONG(414, "uri_too_long", "The request line is too long"),
    UNSUPPORTED_MEDIA_TYPE(415, "unsupported_media_type", "The call does not take this content type"),
    UNSUPPORTED_CONTENT_ENCODING(415, "unsupported_content_encoding", "Compressed bodies are not taken"),
    EXPECTATION_FAILED(417, "expectation_failed", "The expectation is not known"),

    INVALID_QUEUE(422, "invalid_queue", "The queue name breaks a rule"),
    INVALID_KEY(422, "invalid_key", "The key breaks a rule"),
    INVALID_IDEMPOTENCY_KEY(422, "invalid_idempotency_key", "The Idempotency-Key breaks a rule"),
    INVALID_IF_MATCH(422, "invalid_if_match", "If-Match breaks a rule"),
    INVALID_TOKEN_NAME(422, "invalid_token_name", "The name of the token breaks a rule"),
    INVALID_CURSOR(422, "invalid_cursor", "The cursor is none that was given"),
    INVALID_DURATION(422, "invalid_duration", "The value is no duration"),
    INVALID_TIME(422, "invalid_time", "The value is no point in time"),
    OUT_OF_RANGE(422, "out_of_range", "The value is out of range"),
    INVALID_SCHEDULE(422, "invalid_schedule", "The schedule breaks a rule"),
    INVALID_TARGET(422, "invalid_target", "The target breaks a rule"),
    INVALID_URL(422, "invalid_url", "The URL breaks a rule"),
    DESTINATION_NOT_ALLOWED(422, "destination_not_allowed", "The server may not call this destination"),
    INVALID_SECRET(422, "invalid_secret", "A secret breaks a rule"),
    INVALID_METHOD(422, "invalid_method", "The method breaks a rule"),
    INVALID_HEADER(422, "invalid_header", "The header breaks a rule"),
    INVALID_CONTENT_TYPE(422, "invalid_content_type", "The value is no media type"),
    INVALID_BASE64(422, "invalid_base64", "The value is not Base64"),
    INVALID_CHOICE(422, "invalid_choice", "The value is none of the known ones"),
    TARGET_NOT_AVAILABLE(422, "target_not_available", "The server has no such target"),
    DURABILITY_NOT_AVAILABLE(422, "durability_not_available", "The store does not offer this durability"),

    TOO_MANY_FAILED_LOGINS(429, "too_many_failed_logins", "The address brings too many tokens that are none"),
    TOO_MANY_CALLS(429, "too_many_calls", "The token has made as many calls as it may"),
    TOO_MANY_BULK_RUNS(429, "too_many_bulk_runs", "Too many bulk runs go on"),
    QUEUE_FULL(429, "queue_full", "The queue has as many timers as it may"),
    HEADERS_TOO_LARGE(431, "headers_too_large", "The request headers are too large"),
    INTERNAL(500, "internal", "The server failed"),
    OVERLOADED(503, "overloaded", "The server has too much to do"),
    CONTENDED(503, "contended", "Others change the timer all the time"),
    RECOVERING(503, "recovering", "The server is reading what was accepted before"),
    CLOSING(503, "closing", "The server is closing"),
    ACCESS_NOT_SET(503, "access_not_set", "The store keeps tokens, and the server asks for none"),
    STORAGE_FULL(503, "storage_full", "The store has no room for more timers"),
    STORAGE_UNAVAILABLE(503, "storage_unavailable", "The store could not be reached, or not do enough, in time"),
    STORAGE_GONE(503, "storage_gone", "What the store held is gone"),
    STORAGE_FAILED(503, "storage_failed", "The storage failed"),
    HTTP_VERSION_NOT_SUPPORTED(505, "http_version_not_supported", "The server does not speak this version of HTTP");

    private static final Map<String, ProblemCode> OF_TARGETS = Stream.of(
                    WRONG_TYPE,
                    UNKNOWN_FIELD,
                    TARGET_AMBIGUOUS,
                    OUT_OF_RANGE,
                    INVALID_URL,
                    DESTINATION_NOT_ALLOWED,
                    INVALID_METHOD)
            .collect(Collectors.toUnmodifiableMap(ProblemCode::code, Function.identity()));

    private final int status;
    private final String code;
    private final String title;

    ProblemCode(int status, String code, String title) {
        this.status = status;
        this.code = code;
        this.title = title;
    }

    public int status() {
        return status;
    }

    /** The stable word for it. */
    public String code() {
        return code;
    }

    String title() {
        return title;
    }

    /** The kind of refusal by the code that a target gives it; {@link #INVALID_TARGET} for one that is not for targets. */
    static ProblemCode ofTarget(String code) {
        return OF_TARGETS.getOrDefault(code, INVALID_TARGET);
    }

    /** Whether the same request can succeed soon. */
    public boolean isPassing() {
        return switch (this) {
            case OVERLOADED, CONTENDED, TOO_MANY_BULK_RUNS, QUEUE_FULL, RECOVERING, STORAGE_FULL, STORAGE_UNAVAILABLE ->
                true;
            default -> false;
        };
    }
}
