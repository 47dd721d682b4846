package io.tickwheel.benchmarks;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** Addresses on this host that nobody else reaches. */
public final class Loopback {

    private Loopback() {}

    public static InetSocketAddress port(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** A port that was free a moment ago. */
    public static InetSocketAddress freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return port(socket.getLocalPort());
        }
    }

    /** Address and port as they stand in a URL. */
    public static String authority(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }
}
