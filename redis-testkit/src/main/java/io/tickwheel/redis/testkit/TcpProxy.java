package io.tickwheel.redis.testkit;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A network that can fail, between a client and a server of this machine: listens on a port of the loopback interface and
 * passes on what comes, until it is told otherwise. Two threads for each connection. Thread-safe.
 *
 * <pre>{@code
 * proxy.swallowReplies();  // the write goes through, but its client does not learn of it
 * client.set("order", "42");
 * ...                      // until bytesSwallowed() moves: now the server has answered
 * proxy.cut();             // the client sees its connection end, and the next one works
 * }</pre>
 */
public final class TcpProxy implements AutoCloseable {

    private static final int BACKLOG = 128;
    private static final int CONNECT_TIMEOUT_MS = 5_000;
    private static final int CHUNK_BYTES = 16 * 1024;

    private final int port = LoopbackPorts.next();
    private final int targetPort;
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private final LongAdder bytesToServer = new LongAdder();
    private final LongAdder bytesToClient = new LongAdder();
    private final LongAdder bytesSwallowed = new LongAdder();

    // Guarded by this, as is all below; volatile where the links look at it without the lock.
    private @Nullable ServerSocket listener;
    private boolean accepting;
    private volatile boolean swallowing;
    private boolean stalled;
    private boolean closed;

    private TcpProxy(int targetPort) {
        this.targetPort = targetPort;
    }

    /** Returns a proxy that takes connections and passes them on to a port of the loopback interface. */
    public static TcpProxy to(int targetPort) {
        TcpProxy proxy = new TcpProxy(targetPort);
        proxy.accept();
        return proxy;
    }

    /** Where clients connect. */
    public int port() {
        return port;
    }

    /** How many connections there are. */
    public int connections() {
        return links.size();
    }

    /** How many bytes were passed on from clients to the server, over all connections. */
    public long bytesToServer() {
        return bytesToServer.sum();
    }

    /** How many bytes were passed on from the server to clients, over all connections. */
    public long bytesToClient() {
        return bytesToClient.sum();
    }

    /** How many bytes of replies were dropped, over all connections. */
    public long bytesSwallowed() {
        return bytesSwallowed.sum();
    }

    /** Ends all connections, in both directions. New ones are taken as before. Ends {@link #swallowReplies} too. */
    public synchronized void cut() {
        links.forEach(Link::close);
        notifyAll();
        // Only now, so that none of them passes on a reply that it has read before.
        swallowing = false;
    }

    /** Refuses new connections, as when nobody listens. Those that there are stay. */
    public synchronized void refuse() {
        if (listener == null) {
            return;
        }
        close(listener);
        // Until the thread inside is out, the kernel goes on listening.
        if (awaitThat(() -> !accepting)) {
            listener = null;
        }
    }

    /** Takes new connections again. */
    public synchronized void accept() {
        if (closed || listener != null) {
            return;
        }
        try {
            ServerSocket opened = new ServerSocket(port, BACKLOG, InetAddress.getLoopbackAddress());
            listener = opened;
            accepting = true;
            start("proxy-" + port + "-accept", () -> acceptFrom(opened));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Passes on requests but drops what the server answers, on all connections, until {@link #cut}. */
    public synchronized void swallowReplies() {
        swallowing = true;
    }

    /**
     * Holds all bytes in both directions, and the ends of connections too: neither side learns anything. New connections
     * are taken and hang as well. Nothing is lost.
     */
    public synchronized void stall() {
        stalled = true;
    }

    /** Passes on what {@link #stall} has held, and what comes. */
    public synchronized void flow() {
        stalled = false;
        notifyAll();
    }

    /** Ends all connections and takes no more. Without effect if it is closed already. */
    @Override
    public synchronized void close() {
        refuse();
        closed = true;
        cut();
    }

    private void acceptFrom(ServerSocket from) {
        while (!from.isClosed()) {
            try {
                begin(from, from.accept());
            } catch (IOException refused) {
                // By refuse(), or by a client that is gone already.
            }
        }
        synchronized (this) {
            accepting = false;
            notifyAll();
        }
    }

    private synchronized void begin(ServerSocket from, Socket client) {
        if (from.isClosed()) {
            close(client);
            return;
        }
        Link link = new Link(client, new Socket());
        links.add(link);
        start("proxy-" + port + "-to-server", link::passRequests);
    }

    /** Waits while the proxy stalls; returns false when the link has been cut meanwhile. */
    private synchronized boolean mayPass(Link link) {
        return awaitThat(() -> !stalled || link.cut) && !link.cut;
    }

    /** Waits until the condition holds; returns false when interrupted. */
    private synchronized boolean awaitThat(BooleanSupplier condition) {
        try {
            while (!condition.getAsBoolean()) {
                wait();
            }
            return true;
        } catch (InterruptedException e) {
            // The answer says so: the caller ends its link.
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @SuppressForbidden(reason = "a blocking read of a socket needs a thread of its own")
    private static void start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    private static void close(Closeable socket) {
        try {
            socket.close();
        } catch (IOException unheard) {
            // There is nothing more to do for a socket that is not wanted.
        }
    }

    /** What becomes of a chunk of bytes. */
    private interface Passage {
        void pass(byte[] chunk, int length) throws IOException;
    }

    /** A connection of a client, and ours to the server. */
    private final class Link {

        private final Socket client;
        private final Socket server;
        private volatile boolean cut;

        Link(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        void passRequests() {
            try {
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), targetPort), CONNECT_TIMEOUT_MS);
            } catch (IOException noServer) {
                close();
                return;
            }
            start("proxy-" + port + "-to-client", this::passReplies);
            pump(client, server, (chunk, length) -> {
                server.getOutputStream().write(chunk, 0, length);
                bytesToServer.add(length);
            });
        }

        private void passReplies() {
            pump(server, client, (chunk, length) -> {
                if (swallowing) {
                    bytesSwallowed.add(length);
                } else {
                    client.getOutputStream().write(chunk, 0, length);
                    bytesToClient.add(length);
                }
            });
            // A server that has closed reads no more; a client that has closed may still want its replies.
            close();
        }

        private void pump(Socket from, Socket to, Passage passage) {
            byte[] chunk = new byte[CHUNK_BYTES];
            try {
                InputStream in = from.getInputStream();
                int length = in.read(chunk);
                while (mayPass(this) && length >= 0) {
                    passage.pass(chunk, length);
                    length = in.read(chunk);
                }
                to.shutdownOutput();
            } catch (IOException broken) {
                if (mayPass(this)) {
                    close();
                }
            }
        }

        void close() {
            cut = true;
            TcpProxy.close(client);
            TcpProxy.close(server);
            links.remove(this);
        }
    }
}
