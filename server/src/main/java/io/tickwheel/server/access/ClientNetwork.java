package io.tickwheel.server.access;

import java.util.Arrays;

/** What of an address tells clients apart: all of IPv4, and of IPv6 the first 64 bits, as whoever has one such address has all of these. */
public final class ClientNetwork {

    private static final int GROUPS = 4;

    private ClientNetwork() {}

    /**
     * The network of an address.
     *
     * @param address as the JVM writes it: of IPv6 with all of its eight groups
     */
    public static String of(String address) {
        String[] groups = address.split(":", GROUPS + 1);
        return groups.length <= GROUPS ? address : String.join(":", Arrays.copyOf(groups, GROUPS));
    }
}
