package io.tickwheel.benchmarks;

import io.tickwheel.redis.testkit.LoopbackPorts;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Addresses on this host that nobody else reaches. */
public final class Loopback {

    private Loopback() {}

    public static InetSocketAddress port(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** A port that nobody takes while a server that has it is down. */
    public static InetSocketAddress freePort() {
        return port(LoopbackPorts.next());
    }

    /** Address and port as they stand in a URL. */
    public static String authority(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }
}
