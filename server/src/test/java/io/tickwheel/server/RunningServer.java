package io.tickwheel.server;

import io.tickwheel.engine.Clock;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.server.config.ServerConfig;
import io.tickwheel.server.targets.InstalledTargets;
import io.tickwheel.server.wire.TargetKinds;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A real server with the real engine and a real store, and a client for it. */
public final class RunningServer implements AutoCloseable {

    public static final String JSON = "application/json";
    public static final String NDJSON = "application/x-ndjson";

    /** Another one for each server: those on one store must not make the same keys. */
    private static final AtomicInteger SEEDS = new AtomicInteger(42);

    private final Server server;
    private final DescribedApi described = new DescribedApi();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    public RunningServer(Path directory) {
        this(ServerConfig.of("127.0.0.1", 0, directory));
    }

    public RunningServer(ServerConfig config) {
        this(config, Clock.system());
    }

    public RunningServer(ServerConfig config, TargetKinds kinds) {
        this(config, kinds, Clock.system());
    }

    public RunningServer(ServerConfig config, Clock clock) {
        this(config, InstalledTargets.kinds(), clock);
    }

    private RunningServer(ServerConfig config, TargetKinds kinds, Clock clock) {
        SplittableRandom random = new SplittableRandom(SEEDS.getAndIncrement());
        server = new Server(SmallSegments.in(ReceiversHere.allowedIn(config)), kinds, clock, () -> {
            synchronized (random) {
                return random.nextLong();
            }
        });
        server.start().join();
    }

    /** The calls that were answered as the OpenAPI document says; any other answer fails the test. */
    public Set<String> described() {
        return described.seen();
    }

    public int port() {
        return server.port();
    }

    public Reply put(String queue, String key, String body) {
        return send("PUT", timer(queue, key), JSON, body);
    }

    public Reply get(String queue, String key) {
        return send("GET", timer(queue, key), null, null);
    }

    public Reply get(String path) {
        return send("GET", path, null, null);
    }

    public Reply delete(String queue, String key) {
        return send("DELETE", timer(queue, key), null, null);
    }

    public Reply post(String queue, String body, String... headers) {
        return send("POST", "/v1/queues/" + queue + "/timers", JSON, body, headers);
    }

    public Reply batch(String queue, String lines) {
        return send("POST", "/v1/queues/" + queue + "/timers:batch", NDJSON, lines);
    }

    public Reply send(String method, String path, String contentType, String body, String... headers) {
        byte[] bytes = body == null ? null : body.getBytes(StandardCharsets.UTF_8);
        return sendBytes(method, path, contentType, bytes, headers);
    }

    public Reply sendBytes(String method, String path, String contentType, byte[] body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
                .method(
                        method,
                        body == null
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofByteArray(body));
        if (contentType != null) {
            request.header("Content-Type", contentType);
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            HttpResponse<String> response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            described.check(
                    method,
                    path,
                    body,
                    response.statusCode(),
                    response.headers().firstValue("Content-Type").orElse(""),
                    response.body());
            return new Reply(
                    response.statusCode(),
                    response.headers().firstValue("Content-Type").orElse(""),
                    response.headers().firstValue("Retry-After").orElse(""),
                    response.headers().firstValue("Allow").orElse(""),
                    response.headers().firstValue("ETag").orElse(""),
                    response.headers().firstValue("Location").orElse(""),
                    response.headers().firstValue("Cache-Control").orElse(""),
                    response.body());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Asks for a timer until it is as wanted. */
    public Reply await(String queue, String key, Predicate<Reply> wanted) {
        return Patience.look(() -> get(queue, key), wanted);
    }

    /** Live timers in all queues. */
    public long live() {
        Matcher counts = Pattern.compile("\"(?:pending|claimed)\":(\\d+)")
                .matcher(get("/v1/queues").body());
        long live = 0;
        while (counts.find()) {
            live += Long.parseLong(counts.group(1));
        }
        return live;
    }

    @Override
    public void close() {
        server.stop("a test");
    }

    public static String timer(String queue, String key) {
        return "/v1/queues/" + queue + "/timers/" + key;
    }

    public record Reply(
            int status,
            String contentType,
            String retryAfter,
            String allow,
            String etag,
            String location,
            String cacheControl,
            String body) {

        /** Of no interest but for its body. */
        public static Reply of(String body) {
            return new Reply(200, "", "", "", "", "", "", body);
        }

        /** The value of a string or number field at any depth; empty when there is none. */
        public String field(String name) {
            Matcher matcher = Pattern.compile("\"" + name + "\":(?:\"((?:[^\"\\\\]|\\\\.)*)\"|([0-9a-z]+))")
                    .matcher(body);
            if (!matcher.find()) {
                return "";
            }
            return matcher.group(1) != null ? matcher.group(1) : matcher.group(2);
        }
    }
}
