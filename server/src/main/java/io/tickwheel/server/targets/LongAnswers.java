package io.tickwheel.server.targets;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Destinations whose answers went on beyond what is read of one, by their {@link HttpAddress#origin}: for a minute after that, the last {@value #MOST} of them. Of one event loop.
 */
final class LongAnswers {

    static final int MOST = 1_000;
    private static final long KEPT_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** When it was noted, the oldest first. */
    private final Map<String, Long> noted = new LinkedHashMap<>();

    void note(String origin, long nowNanos) {
        noted.remove(origin);
        noted.put(origin, nowNanos);
        if (noted.size() > MOST) {
            noted.remove(noted.keySet().iterator().next());
        }
    }

    boolean has(String origin, long nowNanos) {
        Long at = noted.get(origin);
        if (at == null) {
            return false;
        }
        boolean kept = nowNanos - at < KEPT_NANOS;
        if (!kept) {
            noted.remove(origin);
        }
        return kept;
    }
}
