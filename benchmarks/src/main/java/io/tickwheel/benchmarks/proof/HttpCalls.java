package io.tickwheel.benchmarks.proof;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tickwheel.benchmarks.HttpReader;
import io.tickwheel.benchmarks.Loopback;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** Calls of a server, one at a time, on one connection that is made anew after a failure. Not thread-safe. */
final class HttpCalls implements AutoCloseable {

    private final InetSocketAddress server;
    private @Nullable SocketChannel channel;
    private HttpReader in = new HttpReader();

    /** An answer; whoever did not want its status is not answered with it. */
    record Reply(int status, String body) {

        Reply expect(int... statuses) throws IOException {
            for (int each : statuses) {
                if (each == status) {
                    return this;
                }
            }
            throw new IOException("answered with " + status + ": " + body);
        }
    }

    HttpCalls(InetSocketAddress server) {
        this.server = server;
    }

    Reply get(String path) throws IOException {
        return call("GET", path, "");
    }

    Reply post(String path, String body) throws IOException {
        return call("POST", path, body);
    }

    Reply put(String path, String body) throws IOException {
        return call("PUT", path, body);
    }

    /** Timers as lines, all of which must be accepted. */
    void batch(String queue, String lines, int count) throws IOException {
        Reply reply = call("POST", "/v1/queues/" + queue + "/timers:batch", lines, "application/x-ndjson")
                .expect(200);
        long accepted =
                reply.body.lines().filter(line -> line.contains("\"CREATED\"")).count();
        if (accepted != count) {
            throw new IOException(accepted + " of " + count + " timers accepted: "
                    + reply.body.substring(0, Math.min(300, reply.body.length())));
        }
    }

    Reply call(String method, String path, String body) throws IOException {
        return call(method, path, body, "application/json");
    }

    private Reply call(String method, String path, String body, String type) throws IOException {
        try {
            SocketChannel open = connected();
            byte[] content = body.getBytes(UTF_8);
            String head = method + " " + path + " HTTP/1.1\r\nHost: " + Loopback.authority(server)
                    + "\r\nContent-Type: " + type + "\r\nContent-Length: " + content.length + "\r\n\r\n";
            ByteBuffer[] parts = {ByteBuffer.wrap(head.getBytes(UTF_8)), ByteBuffer.wrap(content)};
            while (parts[0].hasRemaining() || parts[1].hasRemaining()) {
                open.write(parts);
            }
            while (!in.next()) {
                if (!in.fill(open)) {
                    throw new IOException("the server closed the connection");
                }
            }
            return new Reply(in.status(), in.body());
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    private SocketChannel connected() throws IOException {
        SocketChannel open = channel;
        if (open == null) {
            open = SocketChannel.open(server);
            open.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel = open;
            in = new HttpReader();
        }
        return open;
    }

    @Override
    public void close() {
        SocketChannel open = channel;
        channel = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException gone) {
                // It is of no use any more.
            }
        }
    }
}
