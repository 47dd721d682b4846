package io.tickwheel.server.targets;

import io.tickwheel.redis.testkit.Patience;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPOutputStream;

/** A receiver that treats each connection in some bad manner, with a thread for each. */
final class HostileReceiver implements AutoCloseable {

    /** More than buffers take: whoever writes as much has been read. */
    static final long ENDLESS_BYTES = 64 << 20;

    private static final int TRICKLE_MS = 50;
    private static final String OK = "HTTP/1.1 200 OK\r\n";

    /** What to do, and how an attempt ends. */
    enum Manner {
        NEVER_ACCEPTS("unreachable: no connection to %s in 1 s"),
        NEVER_SHAKES_HANDS("unreachable: no connection to %s in 1 s"),
        HANGS("unreachable: no answer from %s in 2 s"),
        TRICKLES_ITS_HEAD("unreachable: no answer from %s in 2 s"),
        TRICKLES_ITS_BODY("acknowledged"),
        SAYS_CONTINUE_FOR_EVER("unreachable: no answer from %s in 2 s"),
        RESETS("unreachable: the connection to %s broke"),
        ENDLESS_STATUS("unreachable: the connection to %s broke"),
        ENDLESS_HEADERS("unreachable: the connection to %s broke"),
        ENDLESS_HEADER("unreachable: the connection to %s broke"),
        ENDLESS_BODY("acknowledged"),
        ENDLESS_CHUNKS("acknowledged"),
        ENDLESS_CHUNK_HEAD("acknowledged"),
        GZIP_BOMB("acknowledged"),
        REDIRECTS_TO_ITSELF("unreachable: HTTP 302, and redirects are not followed"),
        ANSWERS_AND_STAYS("acknowledged");

        private final String outcome;

        Manner(String outcome) {
            this.outcome = outcome;
        }

        String outcome(String place) {
            return outcome.formatted(place);
        }

        /** Whether an attempt ends when its time is over, and else never. */
        boolean isEndedByTime() {
            return switch (this) {
                case NEVER_ACCEPTS,
                        NEVER_SHAKES_HANDS,
                        HANGS,
                        TRICKLES_ITS_HEAD,
                        TRICKLES_ITS_BODY,
                        SAYS_CONTINUE_FOR_EVER -> true;
                default -> false;
            };
        }
    }

    private final Manner manner;
    private final byte[] bomb;
    private final ServerSocket listener;
    private final List<Socket> clogging = new ArrayList<>();
    private final Set<Socket> connected = ConcurrentHashMap.newKeySet();
    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private final AtomicLong mostWritten = new AtomicLong();
    private final CountDownLatch closed = new CountDownLatch(1);

    HostileReceiver(Manner manner) throws IOException {
        this.manner = manner;
        bomb = manner == Manner.GZIP_BOMB ? bomb() : new byte[0];
        listener = new ServerSocket();
        listener.bind(new InetSocketAddress((InetAddress) null, 0), manner == Manner.NEVER_ACCEPTS ? 1 : 200);
        if (manner == Manner.NEVER_ACCEPTS) {
            clog();
        } else {
            start(this::acceptAll);
        }
    }

    /** Fills the queue of the listener, from which nobody takes. */
    private void clog() throws IOException {
        while (true) {
            Socket socket = new Socket();
            clogging.add(socket);
            try {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.getLocalPort()), 200);
            } catch (java.net.SocketTimeoutException e) {
                return;
            }
        }
    }

    private void start(Runnable task) {
        Thread thread = new Thread(task, "hostile");
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    String place() {
        return "127.0.0.1:" + listener.getLocalPort();
    }

    String url() {
        return (manner == Manner.NEVER_SHAKES_HANDS ? "https://" : "http://") + place() + "/";
    }

    /** How many bytes one connection took at most. */
    long mostWritten() {
        return mostWritten.get();
    }

    void awaitNobodyConnected() {
        if (manner != Manner.ANSWERS_AND_STAYS && manner != Manner.REDIRECTS_TO_ITSELF) {
            awaitConnected(0);
        }
    }

    /** Waits until that many are connected at most; less long than idle connections are kept. */
    void awaitConnected(int most) {
        Patience.until(Duration.ofSeconds(10), most + " are connected", () -> connected.size() <= most);
    }

    private void acceptAll() {
        while (!listener.isClosed()) {
            try {
                Socket socket = listener.accept();
                connected.add(socket);
                start(() -> serve(socket));
            } catch (IOException e) {
                // Closed, with the test.
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            socket.getInputStream().read(new byte[4_096]);
            answer(socket, new Counted(socket.getOutputStream()));
            // Stays until the other side hangs up.
            while (socket.getInputStream().read() >= 0) {
                if (manner == Manner.ANSWERS_AND_STAYS || manner == Manner.REDIRECTS_TO_ITSELF) {
                    socket.getInputStream().read(new byte[4_096]);
                    answer(socket, new Counted(socket.getOutputStream()));
                }
            }
        } catch (IOException e) {
            // The other side has hung up.
        } finally {
            connected.remove(socket);
        }
    }

    private void answer(Socket socket, OutputStream out) throws IOException {
        switch (manner) {
            case NEVER_ACCEPTS, NEVER_SHAKES_HANDS, HANGS -> {}
            case TRICKLES_ITS_HEAD -> trickle(out, OK + "X: " + "x".repeat(1_000));
            case TRICKLES_ITS_BODY -> {
                write(out, OK + "Content-Length: 1000\r\n\r\n");
                trickle(out, "x".repeat(1_000));
            }
            case SAYS_CONTINUE_FOR_EVER -> trickle(out, "HTTP/1.1 100 Continue\r\n\r\n".repeat(1_000));
            case RESETS -> {
                socket.setSoLinger(true, 0);
                socket.close();
            }
            case ENDLESS_STATUS -> forEver(out, "HTTP/1.1 200 ", "x".repeat(8_000));
            case ENDLESS_HEADERS -> forEver(out, OK, "X-Header: " + "x".repeat(80) + "\r\n");
            case ENDLESS_HEADER -> forEver(out, OK + "X: ", "x".repeat(8_000));
            case ENDLESS_BODY -> forEver(out, OK + "Connection: close\r\n\r\n", "x".repeat(8_000));
            case ENDLESS_CHUNKS ->
                forEver(out, OK + "Transfer-Encoding: chunked\r\n\r\n", "1000\r\n" + "x".repeat(4_096) + "\r\n");
            case ENDLESS_CHUNK_HEAD -> forEver(out, OK + "Transfer-Encoding: chunked\r\n\r\n1;", "x".repeat(8_000));
            case GZIP_BOMB -> {
                write(out, OK + "Content-Encoding: gzip\r\nContent-Length: " + bomb.length + "\r\n\r\n");
                out.write(bomb);
            }
            case REDIRECTS_TO_ITSELF ->
                write(out, "HTTP/1.1 302 Found\r\nLocation: " + url() + "\r\nContent-Length: 0\r\n\r\n");
            case ANSWERS_AND_STAYS -> write(out, OK + "Content-Length: 0\r\n\r\n");
        }
    }

    /** A hundred kilobytes that would be a hundred megabytes. */
    private static byte[] bomb() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            for (int i = 0; i < 100; i++) {
                out.write(new byte[1 << 20]);
            }
        }
        return packed.toByteArray();
    }

    private static void forEver(OutputStream out, String first, String again) throws IOException {
        write(out, first);
        byte[] bytes = again.getBytes(StandardCharsets.US_ASCII);
        for (long written = 0; written < ENDLESS_BYTES; written += bytes.length) {
            out.write(bytes);
        }
    }

    private void trickle(OutputStream out, String text) throws IOException {
        for (byte b : text.getBytes(StandardCharsets.US_ASCII)) {
            out.write(b);
            try {
                if (closed.await(TRICKLE_MS, TimeUnit.MILLISECONDS)) {
                    return;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** Counts what the other side took. */
    private final class Counted extends OutputStream {

        private final OutputStream out;
        private long written;

        Counted(OutputStream out) {
            this.out = out;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            out.write(bytes, from, length);
            written += length;
            mostWritten.accumulateAndGet(written, Math::max);
        }
    }

    @Override
    public void close() {
        closed.countDown();
        try {
            listener.close();
            for (Socket socket : connected) {
                socket.close();
            }
            for (Socket socket : clogging) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
