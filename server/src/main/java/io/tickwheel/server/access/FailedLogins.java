package io.tickwheel.server.access;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How often an address may bring a token that is none: {@value #AT_ONCE} times at once, and once more every {@value #EVERY_SECONDS} seconds. The addresses that
 * failed last are remembered, of IPv6 by their first 64 bits, as whoever has one such address has all of these. For one event loop.
 */
public final class FailedLogins {

    static final int AT_ONCE = 20;
    static final int EVERY_SECONDS = 3;
    static final int MOST_ADDRESSES = 4_096;

    private static final long SECOND_NANOS = 1_000_000_000L;
    private static final long EVERY_NANOS = EVERY_SECONDS * SECOND_NANOS;
    private static final int GROUPS_OF_A_NETWORK = 4;

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
        String network = network(address);
        Long known = forgottenAtNanos.get(network);
        long ahead = known == null ? 0 : Math.max(0, known - nowNanos);
        long over = ahead - (AT_ONCE - 1) * EVERY_NANOS;
        if (over > 0) {
            return (over + SECOND_NANOS - 1) / SECOND_NANOS;
        }
        forgottenAtNanos.put(network, nowNanos + ahead + EVERY_NANOS);
        return 0;
    }

    /** As the JVM writes addresses: those of IPv6 have all of their eight groups. */
    private static String network(String address) {
        String[] groups = address.split(":", GROUPS_OF_A_NETWORK + 1);
        return groups.length <= GROUPS_OF_A_NETWORK
                ? address
                : String.join(":", Arrays.copyOf(groups, GROUPS_OF_A_NETWORK));
    }

    int addresses() {
        return forgottenAtNanos.size();
    }
}
