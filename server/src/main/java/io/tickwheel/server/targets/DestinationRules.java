package io.tickwheel.server.targets;

import io.netty.util.NetUtil;
import io.tickwheel.server.wire.Excerpt;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which destinations callbacks may go to: public addresses, and what an operator allows beside them, on some ports. What is denied is
 * denied though it is allowed too. An address is judged by its number: however it is written, and whatever name led to it. Immutable.
 */
final class DestinationRules {

    private static final String LOCALHOST = "localhost";
    private static final byte[] LOOPBACK = {127, 0, 0, 1};

    /** One colon, as no address of IPv6 has: a name or an address of IPv4, and digits; or brackets. */
    private static final Pattern NAME_AND_PORT = Pattern.compile("[^:/]+:[0-9]+|\\[.*]:[0-9]+");

    private final Listed allowed;
    private final Listed denied;
    private final Ports ports;
    private final boolean open;

    /**
     * Makes rules.
     *
     * @param allowed may be called though they are not public
     * @param denied must not be called, whatever else is said of them
     * @param ports of all destinations, of those that are allowed too
     * @param open whether public addresses may be called that are not allowed by name or number
     */
    DestinationRules(Listed allowed, Listed denied, Ports ports, boolean open) {
        this.allowed = allowed;
        this.denied = denied;
        this.ports = ports;
        this.open = open;
    }

    /** Hosts that a setting lists by name, and blocks of addresses. */
    record Listed(String text, HostNames names, List<AddressRange> ranges) {

        static final Listed NONE = new Listed("", new HostNames(List.of()), List.of());

        /**
         * Reads a list with commas between.
         *
         * @throws IllegalArgumentException with the rule that the text breaks
         */
        static Listed parse(String text) {
            List<String> names = new ArrayList<>();
            List<AddressRange> ranges = new ArrayList<>();
            for (String part : text.split(",", -1)) {
                String entry = part.strip();
                if (NAME_AND_PORT.matcher(entry).matches()) {
                    throw new IllegalArgumentException("must have no port at " + Excerpt.quoted(entry)
                            + ": those of all destinations are in targets.http.ports");
                }
                if (entry.indexOf(':') >= 0 || entry.indexOf('/') >= 0 || entry.matches("[0-9.]+")) {
                    ranges.add(AddressRange.parse(entry));
                } else {
                    names.add(entry);
                }
            }
            return new Listed(text, new HostNames(names), List.copyOf(ranges));
        }

        @Nullable
        AddressRange rangeOf(byte[] address) {
            for (AddressRange range : ranges) {
                if (range.contains(address)) {
                    return range;
                }
            }
            return null;
        }
    }

    /**
     * Judges what is known without a look-up.
     *
     * @return the rule that the destination breaks, for whoever wrote it; null when it breaks none so far
     */
    @Nullable
    String refusal(HttpAddress destination) {
        if (!ports.contain(destination.port())) {
            return "must not go to port " + destination.port() + ", as targets.http.ports is " + ports;
        }
        String host = HostNames.plain(destination.host());
        if (denied.names.contain(host)) {
            return "must not go to " + host + ", which targets.http.deny names";
        }
        InetAddress literal = destination.literal();
        if (literal != null) {
            return refusal(host, AddressRange.bytes(literal));
        }
        // No name server is asked for these (RFC 6761, section 6.3).
        boolean here = host.equals(LOCALHOST) || host.endsWith("." + LOCALHOST);
        return here ? refusal(host, LOOPBACK) : null;
    }

    /**
     * Judges an address that a look-up has found.
     *
     * @return the rule that it breaks, for an operator; null when it may be connected to
     */
    @Nullable
    String refusal(HttpAddress destination, InetAddress address) {
        return refusal(HostNames.plain(destination.host()), AddressRange.bytes(address));
    }

    private @Nullable String refusal(String host, byte[] address) {
        byte[] inner = SpecialAddresses.inner(address);
        AddressRange no = denied.rangeOf(address);
        if (no != null) {
            return "must not go to " + text(address) + ", as targets.http.deny has " + no;
        }
        if (allowed.names.contain(host)) {
            return inner == null || denied.rangeOf(inner) == null ? null : refusal(host, inner);
        }
        if (allowed.rangeOf(address) != null) {
            return inner == null ? null : refusal(host, inner);
        }
        String kind = SpecialAddresses.kind(address);
        if (kind != null) {
            return "must not go to " + text(address) + ", which is " + kind + " and not in targets.http.allow";
        }
        return open ? null : "must not go to " + text(address) + ", which is not in targets.http.allow";
    }

    private static String text(byte[] address) {
        return NetUtil.bytesToIpAddress(address);
    }

    /** Where callbacks may go, for the log of a start. */
    @Override
    public String toString() {
        String where =
                open ? "public addresses" + (allowed.text.isEmpty() ? "" : " and " + allowed.text) : allowed.text;
        String but = denied.text.isEmpty() ? "" : ", but not to " + denied.text;
        return (where.isEmpty() ? "nowhere" : where) + but + ", ports " + ports;
    }
}
