package io.tickwheel.redis.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ports of the loopback interface for servers that come back at the same port after they were down.
 *
 * <p>They lie below those that the kernel gives to outgoing connections (32768 and up on Linux), one of which would take
 * the port of a server that is down for a moment. With each port goes the one for the bus of a Redis cluster, which is
 * 10000 higher. No port is given twice in one JVM, and each JVM starts at a place of its own.
 */
public final class LoopbackPorts {

    private static final int FIRST = 11_000;
    private static final int COUNT = 10_000;
    private static final int TO_BUS = 10_000;

    /** A prime, so that JVMs that follow each other start far apart. */
    private static final int STRIDE = 997;

    private static final AtomicInteger NEXT =
            new AtomicInteger((int) (ProcessHandle.current().pid() * STRIDE % COUNT));

    private LoopbackPorts() {}

    /** Returns a port on which nobody listens. */
    public static int next() {
        for (int i = 0; i < COUNT; i++) {
            int port = FIRST + Math.floorMod(NEXT.getAndIncrement(), COUNT);
            if (isFree(port) && isFree(port + TO_BUS)) {
                return port;
            }
        }
        throw new IllegalStateException("no port is free from " + FIRST + " to " + (FIRST + COUNT - 1));
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }
}
