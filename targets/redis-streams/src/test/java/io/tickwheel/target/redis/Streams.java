package io.tickwheel.target.redis;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.Target;
import io.tickwheel.engine.TargetOptions;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.TimerKey;
import io.tickwheel.testkit.RecordedDelivery;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Targets, attempts, and what is read from streams. */
final class Streams {

    static final Instant DUE = Instant.parse("2026-11-20T15:04:05.100Z");

    private Streams() {}

    /** Opens a target on a server, with more options as name and value. */
    static Target open(RedisServer server, String... more) {
        return open("redis://127.0.0.1:" + server.port(), more);
    }

    static Target open(String uri, String... more) {
        Map<String, String> settings = new HashMap<>(Map.of("uri", uri, "timeoutMs", "30000"));
        for (int i = 0; i < more.length; i += 2) {
            settings.put(more[i], more[i + 1]);
        }
        return new RedisStreamTargetKind().open(new TargetOptions(Clock.system(), 100, settings));
    }

    static Attempt attempt(String address, byte[] payload, Map<String, String> headers, boolean keepsExcerpt) {
        return new Attempt(
                new TimerKey("bills", "order/7 ü"),
                "id-1",
                3,
                2,
                DUE,
                DUE.plusSeconds(10),
                Duration.ofMillis(10_012),
                payload,
                "text/plain",
                headers,
                new Destination("redis-streams", address),
                keepsExcerpt,
                null,
                false);
    }

    /** Delivers a small timer and returns how that ended. */
    static String deliver(Target target, String address) throws Exception {
        RecordedDelivery delivery = new RecordedDelivery();
        target.deliver(attempt(address, new byte[] {1}, Map.of(), false), delivery);
        return delivery.end();
    }

    /** Returns the fields of all entries, each character a byte. */
    static List<Map<String, String>> entries(RedisServer server, String stream) {
        List<?> entries = (List<?>) server.command(StandardCharsets.ISO_8859_1, "XRANGE", stream, "-", "+");
        return entries.stream()
                .map(entry -> fields((List<?>) ((List<?>) entry).get(1)))
                .toList();
    }

    private static Map<String, String> fields(List<?> list) {
        Map<String, String> fields = new LinkedHashMap<>();
        for (int i = 0; i < list.size(); i += 2) {
            fields.put((String) list.get(i), (String) list.get(i + 1));
        }
        return fields;
    }
}
