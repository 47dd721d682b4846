package io.tickwheel.benchmarks;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * An HTTP/1.1 load generator on one thread: every connection has at most a fixed number of requests unanswered, one unless pipelining is
 * asked for. It shares the machine with what it measures, so it does as little as it can.
 */
final class HttpLoad {

    private static final int SHOWN_ERRORS = 3;
    private static final long STALL_MS = 30_000;

    /** How often a steady load looks whether it may send. */
    private static final long STEP_MS = 1;

    private final InetSocketAddress server;
    private final int connections;
    private final int pipeline;
    private final RequestSource source;
    private final ResponseCheck check;

    private final Map<Integer, Long> statuses = new TreeMap<>();
    private final List<String> errors = new ArrayList<>();
    private final Histogram micros = new Histogram(3);
    private long sent;
    private long answered;
    private long accepted;

    /** What came of a load: how long it took, the answers by status, and the time from request to answer. */
    record Outcome(long requests, long accepted, long nanos, Map<Integer, Long> statuses, Histogram micros) {

        double perSecond(long count) {
            return count * 1e9 / nanos;
        }
    }

    HttpLoad(InetSocketAddress server, int connections, int pipeline, RequestSource source, ResponseCheck check) {
        this.server = server;
        this.connections = connections;
        this.pipeline = pipeline;
        this.source = source;
        this.check = check;
    }

    /** Sends that many requests and waits for their answers. May be called once. */
    Outcome run(long requests) throws IOException {
        return run(Pace.count(requests));
    }

    /** Sends as the pace says, as far as the connections take requests, and waits for the answers. May be called once. */
    Outcome run(Pace pace) throws IOException {
        try (Selector selector = Selector.open()) {
            List<Connection> open = new ArrayList<>();
            for (int i = 0; i < connections; i++) {
                open.add(connect(selector));
            }
            long start = System.nanoTime();
            long lastAnswer = start;
            send(open, pace.allowed(0));
            while (answered < sent || !pace.isOver(System.nanoTime() - start, sent)) {
                selector.select(pace.isSteady() ? STEP_MS : STALL_MS);
                long before = answered;
                for (SelectionKey key : selector.selectedKeys()) {
                    ((Connection) key.attachment()).ready(pace.allowed(System.nanoTime() - start));
                }
                selector.selectedKeys().clear();
                if (pace.isSteady()) {
                    send(open, pace.allowed(System.nanoTime() - start));
                }
                lastAnswer = answered > before ? System.nanoTime() : lastAnswer;
                if (System.nanoTime() - lastAnswer > STALL_MS * 1_000_000) {
                    throw new IOException("no answer for " + STALL_MS + " ms after " + answered + " of " + sent);
                }
            }
            long nanos = System.nanoTime() - start;
            for (Connection connection : open) {
                connection.channel.close();
            }
            errors.forEach(error -> System.out.println("  not accepted: " + error));
            return new Outcome(sent, accepted, nanos, statuses, micros);
        }
    }

    /** Begins with another connection each time, so that none is preferred. */
    private void send(List<Connection> open, long allowed) throws IOException {
        int first = (int) (sent % open.size());
        for (int i = 0; i < open.size() && sent < allowed; i++) {
            open.get((first + i) % open.size()).send(allowed);
        }
    }

    private Connection connect(Selector selector) throws IOException {
        SocketChannel channel = SocketChannel.open(server);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.configureBlocking(false);
        Connection connection = new Connection(channel, selector);
        connection.key.attach(connection);
        return connection;
    }

    private void answer(HttpReader response, long number, long nanos) {
        answered++;
        micros.recordValue(nanos / 1_000);
        int status = response.status();
        statuses.merge(status, 1L, Long::sum);
        int timers = check.accepted(number, response);
        accepted += timers;
        if (timers == 0 && errors.size() < SHOWN_ERRORS) {
            errors.add(status + " " + response.body().strip());
        }
    }

    private final class Connection {

        private final SocketChannel channel;
        private final SelectionKey key;
        private final HttpReader in = new HttpReader();
        private final HttpWriter out = new HttpWriter();
        private final long[] sentAt = new long[pipeline];
        private final long[] numbers = new long[pipeline];
        private long first;
        private long next;

        Connection(SocketChannel channel, Selector selector) throws IOException {
            this.channel = channel;
            this.key = channel.register(selector, SelectionKey.OP_READ);
        }

        void ready(long requests) throws IOException {
            if (key.isReadable()) {
                receive();
            }
            send(requests);
        }

        private void receive() throws IOException {
            if (!in.fill(channel)) {
                throw new IOException("the server closed a connection with " + (next - first) + " unanswered requests");
            }
            long now = System.nanoTime();
            while (in.next()) {
                int at = (int) (first++ % pipeline);
                answer(in, numbers[at], now - sentAt[at]);
            }
        }

        private void send(long requests) throws IOException {
            if (sent < requests && next - first < pipeline) {
                long now = System.nanoTime();
                while (sent < requests && next - first < pipeline) {
                    int at = (int) (next++ % pipeline);
                    sentAt[at] = now;
                    numbers[at] = sent;
                    source.append(sent++, out);
                }
            }
            out.flush(channel, key);
        }
    }
}
