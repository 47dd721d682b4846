package io.tickwheel.engine;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How many timers are dead, and why. Immutable and thread-safe.
 *
 * @param dead how many
 * @param reasons why their last attempts had failed, and of how many; at most {@value BulkProgress#MOST_REASONS} reasons, and all others under
 *     {@value BulkProgress#OTHER_REASONS}
 */
public record DeadCounts(long dead, Map<String, Long> reasons) {

    public DeadCounts {
        reasons = Collections.unmodifiableMap(new LinkedHashMap<>(reasons));
    }
}
