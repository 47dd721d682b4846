package io.tickwheel.server.crash;

import io.tickwheel.store.Scheduled;
import io.tickwheel.store.TimerState;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Speaks the HTTP contract and reads the answers. Thread-safe. */
final class CrashHttp {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(PATIENCE)
            .build();
    private final String server;
    private final String target;

    /**
     * @param port of the server, on loopback
     * @param target the URL of the receiver
     */
    CrashHttp(int port, String target) {
        this.server = "http://127.0.0.1:" + port;
        this.target = target;
    }

    boolean isReady() {
        try {
            return send("GET", "/readyz", BodyPublishers.noBody()).statusCode() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    LedgerAnswer ask(String key, LedgerRequest.Wish wish) {
        String path = "/v1/queues/crash/timers/" + key;
        try {
            if (wish instanceof LedgerRequest.Put put) {
                return read(send("PUT", path, BodyPublishers.ofString("{" + schedule(put) + "}")));
            }
            String method = wish instanceof LedgerRequest.Cancel ? "DELETE" : "GET";
            return read(send(method, path, BodyPublishers.noBody()));
        } catch (IOException e) {
            return new LedgerAnswer.Unknown(e.toString());
        }
    }

    /** Schedules and cancels in one request; as many answers, in the same order. */
    List<LedgerAnswer> ask(List<String> keys, List<LedgerRequest.Wish> wishes) {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < keys.size(); i++) {
            lines.append(
                    wishes.get(i) instanceof LedgerRequest.Put put
                            ? "{\"key\":\"" + keys.get(i) + "\"," + schedule(put) + "}\n"
                            : "{\"cancel\":\"" + keys.get(i) + "\"}\n");
        }
        String failure;
        try {
            HttpResponse<String> response =
                    send("POST", "/v1/queues/crash/timers:batch", BodyPublishers.ofString(lines.toString()));
            List<String> answers = response.body().lines().toList();
            if (response.statusCode() == 200 && answers.size() == keys.size()) {
                return answers.stream()
                        .map(line -> read(200, new JsonObject(line)))
                        .toList();
            }
            failure = response.statusCode() + " " + response.body();
        } catch (IOException e) {
            failure = e.toString();
        }
        List<LedgerAnswer> unknown = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            unknown.add(new LedgerAnswer.Unknown(failure));
        }
        return unknown;
    }

    private String schedule(LedgerRequest.Put put) {
        return "\"delay\":\"" + put.delayMs() + "ms\",\"payload\":{\"token\":\"" + put.token()
                + "\"},\"target\":{\"url\":\"" + target + "\"}";
    }

    private HttpResponse<String> send(String method, String path, BodyPublisher body) throws IOException {
        String type = path.endsWith(":batch") ? "application/x-ndjson" : "application/json";
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server + path))
                .timeout(PATIENCE)
                .method(method, body);
        if (method.startsWith("P")) {
            request.header("Content-Type", type);
        }
        try {
            return http.send(request.build(), BodyHandlers.ofString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private static LedgerAnswer read(HttpResponse<String> response) {
        return read(response.statusCode(), new JsonObject(response.body()));
    }

    private static LedgerAnswer read(int httpStatus, JsonObject json) {
        int status = json.getInteger("status", httpStatus);
        String outcome = json.getString("outcome", "");
        if (status >= 500) {
            return Boolean.FALSE.equals(json.getValue("applied"))
                    ? new LedgerAnswer.Refused(json.encode())
                    : new LedgerAnswer.Unknown(json.encode());
        }
        if (outcome.equals("CANCELLED")) {
            return new LedgerAnswer.Cancelled(json.getString("id"));
        }
        if (outcome.equals("LAST_ATTEMPT_RUNNING")) {
            return new LedgerAnswer.LastAttempt(json.getString("id"));
        }
        if (outcome.equals("TOO_LATE")) {
            return new LedgerAnswer.TooLate(state(json));
        }
        if (outcome.equals("NOT_FOUND") || status == 404) {
            return new LedgerAnswer.NotFound();
        }
        if (status >= 400 || json.containsKey("code")) {
            return new LedgerAnswer.Refused(json.encode());
        }
        if (!json.containsKey("previous")) {
            return new LedgerAnswer.Seen(json.getString("id"), TimerState.valueOf(json.getString("state")));
        }
        return new LedgerAnswer.Made(
                json.getString("id"),
                json.getLong("version"),
                Instant.parse(json.getString("dueAt")).toEpochMilli(),
                Scheduled.Previous.valueOf(json.getString("previous")));
    }

    private static @Nullable TimerState state(JsonObject json) {
        String state = json.getString("state");
        return state == null ? null : TimerState.valueOf(state);
    }
}
