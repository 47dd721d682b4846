package io.tickwheel.server.access;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How often an address may bring a token that is none: {@value #AT_ONCE} times at once, and once more every {@value #EVERY_SECONDS} seconds. The addresses that
 * failed last are remembered, by their {@link ClientNetwork}. For one event loop.
 */
public final class FailedLogins {

    static final int AT_ONCE = 20;
    static final int EVERY_SECONDS = 3;
    static final int MOST_ADDRESSES = 4_096;

    private static final long SECOND_NANOS = 1_000_000_000L;
    private static final long EVERY_NANOS = EVERY_SECONDS * SECOND_NANOS;

    /** When all failures of an address are forgotten, by the address that failed longest ago first. */
    private final Map<String, Long> forgottenAtNanos = new LinkedHashMap<>(16, 0.75f, true) {

        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > MOST_ADDRESSES;
        }
    };

    /**
     * Counts a failure.
     *
     * @return in how many seconds one more is counted; 0 when this one was
     */
    public long failed(String address, long nowNanos) {
        String network = ClientNetwork.of(address);
        Long known = forgottenAtNanos.get(network);
        long ahead = known == null ? 0 : Math.max(0, known - nowNanos);
        long over = ahead - (AT_ONCE - 1) * EVERY_NANOS;
        if (over > 0) {
            return (over + SECOND_NANOS - 1) / SECOND_NANOS;
        }
        forgottenAtNanos.put(network, nowNanos + ahead + EVERY_NANOS);
        return 0;
    }

    int addresses() {
        return forgottenAtNanos.size();
    }
}
