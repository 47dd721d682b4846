package io.tickwheel.engine.due;

import io.tickwheel.store.Lane;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How lanes were that have nothing to do for now: of the last {@value #MOST} that were quick, and of as many whose last attempts have reached nobody. About 200 bytes each; O(1). Owned by
 * the loop.
 */
public final class RememberedHealth {

    static final int MOST = 10_000;

    /** Not one map: a thousand quick lanes that come and go would have those forgotten that fail now and then. */
    private final Map<Lane, Health> failing = new LinkedHashMap<>();

    private final Map<Lane, Health> quick = new LinkedHashMap<>();

    /** Makes one that remembers nothing. */
    public RememberedHealth() {}

    /** Remembers how a lane was, if that is worth it. */
    public void put(Lane lane, Health health) {
        if (health.breaker().hasFailures()) {
            put(failing, lane, health);
        } else if (health.isQuick()) {
            put(quick, lane, health);
        }
    }

    private static void put(Map<Lane, Health> of, Lane lane, Health health) {
        of.put(lane, health);
        if (of.size() > MOST) {
            of.remove(of.keySet().iterator().next());
        }
    }

    /** Forgets how a lane was, and returns it; null when that is not known. */
    public @Nullable Health remove(Lane lane) {
        Health was = quick.remove(lane);
        return was == null ? failing.remove(lane) : was;
    }
}
