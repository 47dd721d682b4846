package io.tickwheel.benchmarks;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Clients that hold connections: some never say a word, and the others send of a request a byte a second, half of them in its head and half in its body. One whose connection the
 * server closes comes again at once. One thread, which visits a thousandth of them every millisecond, so that each has a moment of its own.
 */
final class SlowClients implements AutoCloseable {

    private static final int SHARES = 1_000;
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1) / SHARES;
    private static final byte[] NOTHING = {};
    private static final byte[] HEAD = "GET /livez HTTP/1.1\r\nHost: x\r\nX-Slow: ".getBytes(US_ASCII);
    private static final byte[] BODY =
            "PUT /v1/queues/slow/timers/slow HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
                    .getBytes(US_ASCII);

    private final class Client {

        private final byte[] first;
        private SocketChannel channel;

        Client(byte[] first) throws IOException {
            this.first = first;
            this.channel = connect();
        }

        private SocketChannel connect() throws IOException {
            SocketChannel opened = SocketChannel.open(server);
            opened.write(ByteBuffer.wrap(first));
            opened.configureBlocking(false);
            return opened;
        }

        /** Says a byte, or comes again. */
        void visit() throws IOException {
            if (isCut()) {
                cut.incrementAndGet();
                channel.close();
                channel = connect();
            }
        }

        private boolean isCut() {
            try {
                if (channel.read(ByteBuffer.allocate(256)) != 0) {
                    return true;
                }
                if (first.length > 0) {
                    channel.write(ByteBuffer.wrap(new byte[] {'x'}));
                }
                return false;
            } catch (IOException reset) {
                return true;
            }
        }
    }

    private final InetSocketAddress server;
    private final List<Client> clients = new ArrayList<>();
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();
    private final AtomicLong cut = new AtomicLong();
    private volatile boolean closing;

    /** Connects all of them. */
    SlowClients(InetSocketAddress server, int idle, int trickling) throws IOException {
        this.server = server;
        for (int i = 0; i < idle; i++) {
            clients.add(new Client(NOTHING));
        }
        for (int i = 0; i < trickling; i++) {
            clients.add(new Client(i % 2 == 0 ? HEAD : BODY));
        }
        Thread thread = new Thread(this::run, "slow-clients");
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            for (int share = 0; !closing; share = (share + 1) % SHARES) {
                TimeUnit.NANOSECONDS.sleep(PAUSE_NANOS);
                for (int i = share; i < clients.size(); i += SHARES) {
                    clients.get(i).visit();
                }
            }
            for (Client client : clients) {
                client.channel.close();
            }
            stopped.complete(null);
        } catch (IOException | InterruptedException | RuntimeException e) {
            stopped.completeExceptionally(e);
        }
    }

    /** How many there are, and how often the server had enough of one. */
    String report() {
        if (stopped.isDone()) {
            stopped.join();
        }
        return clients.size() + " slow clients, whose connections the server closed " + cut + " times so far";
    }

    @Override
    public void close() {
        closing = true;
        stopped.join();
    }
}
