package io.tickwheel.server.http;

import io.netty.channel.Channel;
import io.tickwheel.engine.Clock;
import io.tickwheel.server.access.ClientNetwork;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the open connections from their accept on, those that are still at their TLS handshake too, and lets none in beyond a limit in all and one for each address: each has
 * buffers and a descriptor. Thread-safe, as connections are accepted by another thread than the one that serves them.
 */
public final class Connections {

    private static final Logger LOG = LoggerFactory.getLogger(Connections.class);
    private static final long TELL_NANOS = 60_000_000_000L;

    private final int limit;
    private final int perAddress;
    private final Clock clock;

    /** How many are open, of each network that has one. Guarded by this, as all that follows. */
    private final Map<String, Integer> open = new HashMap<>();

    private int all;
    private long refused;
    private long tellAtNanos;

    /**
     * Lets a number of connections in, none of which is open yet.
     *
     * @param perAddress how many from one address, of IPv6 from one network of 64 bits
     */
    public Connections(int limit, int perAddress, Clock clock) {
        this.limit = limit;
        this.perAddress = perAddress;
        this.clock = clock;
        this.tellAtNanos = clock.monoNanos();
    }

    /** Counts a connection until it is closed, or returns false when it is one too many. */
    boolean admit(Channel connection) {
        String network = connection.remoteAddress() instanceof InetSocketAddress remote && remote.getAddress() != null
                ? ClientNetwork.of(remote.getAddress().getHostAddress())
                : "";
        if (!opened(network)) {
            return false;
        }
        connection.closeFuture().addListener(closed -> closed(network));
        return true;
    }

    /** Whether there was room for one more of a network, which is counted then. */
    synchronized boolean opened(String network) {
        int ofNetwork = open.getOrDefault(network, 0);
        if (all >= limit || ofNetwork >= perAddress) {
            refuse(ofNetwork >= perAddress);
            return false;
        }
        all++;
        open.put(network, ofNetwork + 1);
        return true;
    }

    synchronized void closed(String network) {
        all--;
        open.computeIfPresent(network, (name, count) -> count == 1 ? null : count - 1);
    }

    /** A stranger can have as many refused as he likes, and has a line a minute for it. */
    private void refuse(boolean isOfAddress) {
        refused++;
        long now = clock.monoNanos();
        if (now - tellAtNanos >= 0) {
            tellAtNanos = now + TELL_NANOS;
            LOG.warn(
                    "connections were closed at once: {} so far; the last one because {}",
                    refused,
                    isOfAddress
                            ? "its address has " + perAddress + ", see server.connectionsPerAddress"
                            : limit
                                    + " are open, which is all that the heap, and the files that may be open, have room for");
        }
    }

    synchronized int networks() {
        return open.size();
    }
}
