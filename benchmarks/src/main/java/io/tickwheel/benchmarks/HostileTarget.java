package io.tickwheel.benchmarks;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A target of callbacks that treats each connection badly, with a thread for each. */
final class HostileTarget implements AutoCloseable {

    private static final String OK = "HTTP/1.1 200 OK\r\n";
    private static final int BACKLOG = 200;
    private static final int CLOG_MS = 200;
    private static final int TRICKLE_MS = 50;
    private static final int REQUEST_BYTES = 4_096;
    private static final int PIECE = 8_000;

    /** What it does with a connection. */
    enum Manner {
        NEVER_ACCEPTS,
        HANGS,
        TRICKLES,
        RESETS,
        ENDLESS_HEADERS,
        ENDLESS_BODY,
        REDIRECTS_TO_ITSELF;

        String title() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }

        static Manner named(String name) {
            return Arrays.stream(values())
                    .filter(manner -> manner.title().replace(' ', '-').equals(name))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("no manner " + name));
        }
    }

    private final Manner manner;
    private final ServerSocket listener;
    private final List<Socket> clogging = new ArrayList<>();
    private final Set<Socket> connected = ConcurrentHashMap.newKeySet();
    private final CountDownLatch closed = new CountDownLatch(1);

    HostileTarget(Manner manner) throws IOException {
        this.manner = manner;
        listener = new ServerSocket();
        listener.bind(Loopback.port(0), manner == Manner.NEVER_ACCEPTS ? 1 : BACKLOG);
        if (manner == Manner.NEVER_ACCEPTS) {
            clog();
        } else {
            start(this::acceptAll);
        }
    }

    InetSocketAddress address() {
        return Loopback.port(listener.getLocalPort());
    }

    /** Fills the queue of the listener, from which nobody takes. */
    private void clog() throws IOException {
        while (true) {
            Socket socket = new Socket();
            clogging.add(socket);
            try {
                socket.connect(address(), CLOG_MS);
            } catch (SocketTimeoutException e) {
                return;
            }
        }
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "hostile-target");
        thread.setDaemon(true);
        thread.start();
    }

    private void acceptAll() {
        while (!listener.isClosed()) {
            try {
                Socket socket = listener.accept();
                connected.add(socket);
                start(() -> serve(socket));
            } catch (IOException e) {
                // The listener was closed, with the program.
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            while (socket.getInputStream().read(new byte[REQUEST_BYTES]) >= 0) {
                answer(socket);
            }
        } catch (IOException e) {
            // The other side has hung up.
        } catch (InterruptedException e) {
            // Only the end of the program does that: nobody waits for the answer any more.
            Thread.currentThread().interrupt();
        } finally {
            connected.remove(socket);
        }
    }

    private void answer(Socket socket) throws IOException, InterruptedException {
        OutputStream out = socket.getOutputStream();
        switch (manner) {
            case NEVER_ACCEPTS, HANGS -> {}
            case TRICKLES -> {
                byte[] head = (OK + "X: " + "x".repeat(PIECE)).getBytes(US_ASCII);
                for (int i = 0; i < head.length && !closed.await(TRICKLE_MS, TimeUnit.MILLISECONDS); i++) {
                    out.write(head[i]);
                }
            }
            case RESETS -> {
                socket.setSoLinger(true, 0);
                socket.close();
            }
            case ENDLESS_HEADERS -> forEver(out, OK, "X-Header: " + "x".repeat(80) + "\r\n");
            case ENDLESS_BODY -> forEver(out, OK + "Connection: close\r\n\r\n", "x".repeat(PIECE));
            case REDIRECTS_TO_ITSELF ->
                out.write(("HTTP/1.1 302 Found\r\nLocation: http://" + Loopback.authority(address())
                                + "/\r\nContent-Length: 0\r\n\r\n")
                        .getBytes(US_ASCII));
        }
    }

    private void forEver(OutputStream out, String first, String again) throws IOException {
        out.write(first.getBytes(US_ASCII));
        byte[] bytes = again.getBytes(US_ASCII);
        while (closed.getCount() > 0) {
            out.write(bytes);
        }
    }

    @Override
    public void close() throws IOException {
        closed.countDown();
        listener.close();
        for (Socket socket : connected) {
            socket.close();
        }
        for (Socket socket : clogging) {
            socket.close();
        }
    }
}
