package io.tickwheel.examples;

import io.tickwheel.wheel.WheelTimer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousSocketChannel;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A small key-value server on loopback that speaks as much of the Redis protocol as {@code redis-cli} needs; its values end by a timing wheel. */
final class KeyValueServer implements AutoCloseable {

    private static final int DEFAULT_PORT = 6_399;
    private static final int LAST_PORT = 65_535;
    private static final int FIRST_BUFFER = 8 << 10;

    /** So much is gathered before it is sent: who sends many commands at once and reads nothing costs no more, and one answer. */
    private static final int MOST_GATHERED = 64 << 10;

    private final KeyValueCommands commands;
    private final Set<Connection> open = ConcurrentHashMap.newKeySet();
    private final LoopbackServer server;

    /** @param port 0 for any that is free */
    KeyValueServer(int port, WheelTimer timer) throws IOException {
        commands = new KeyValueCommands(new KeyValueStore(timer));
        server = new LoopbackServer(port, this::accept);
    }

    static void run(Stage stage, List<String> arguments) throws IOException, InterruptedException {
        Arguments.atMost(arguments, 1);
        int port = Arguments.number(arguments, 0, "the port", DEFAULT_PORT, LAST_PORT);
        try (WheelTimer timer = WheelTimer.create();
                KeyValueServer server = new KeyValueServer(port, timer)) {
            stage.say("ready for redis-cli -p " + server.port()
                    + "; try SET greeting hello EX 10, TTL greeting, GET greeting");
            stage.awaitEnd();
        }
    }

    int port() {
        return server.port();
    }

    private void accept(AsynchronousSocketChannel channel) {
        Connection connection = new Connection(channel);
        open.add(connection);
        connection.read();
    }

    /** Reads, answers what is complete, and reads on when that is sent: one step at a time. */
    private final class Connection {

        private final AsynchronousSocketChannel channel;
        private final RespReply reply = new RespReply();
        /** What has come and is not carried out, from its position to its limit. */
        private ByteBuffer in = ByteBuffer.allocate(FIRST_BUFFER).limit(0);

        private boolean isLast;

        Connection(AsynchronousSocketChannel channel) {
            this.channel = channel;
        }

        void read() {
            in.compact();
            if (!in.hasRemaining()) {
                in = ByteBuffer.allocate(Math.min(2 * in.capacity(), RespReader.MOST_BUFFERED))
                        .put(in.flip());
            }
            channel.read(in, null, LoopbackServer.then(this::hasRead, failure -> close()));
        }

        private void hasRead(int count) {
            in.flip();
            if (count < 0) {
                close();
            } else {
                answer();
            }
        }

        private void answer() {
            try {
                boolean isMore = true;
                while (isMore && reply.size() < MOST_GATHERED) {
                    isMore = carryOut(RespReader.next(in));
                }
            } catch (ProtocolException e) {
                reply.error("ERR " + e.getMessage());
                isLast = true;
            }
            if (reply.size() > 0) {
                write(ByteBuffer.wrap(reply.take()));
            } else {
                read();
            }
        }

        /** Gives whether there was a command, so that another one may have come. */
        private boolean carryOut(@Nullable List<byte[]> command) {
            if (command != null && !command.isEmpty()) {
                commands.run(command, reply);
            }
            return command != null;
        }

        private void write(ByteBuffer replies) {
            channel.write(replies, null, LoopbackServer.then(count -> hasWritten(replies), failure -> close()));
        }

        private void hasWritten(ByteBuffer replies) {
            if (replies.hasRemaining()) {
                write(replies);
            } else if (isLast) {
                close();
            } else {
                answer();
            }
        }

        void close() {
            open.remove(this);
            try {
                channel.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        open.forEach(Connection::close);
    }
}
