package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.server.RunningServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Thousands of clients that hold connections and say nothing, or a byte a second. What counts is that all others are served meanwhile, and that those which trickle come to an end. */
@Tag("full")
final class HostileClientsTest {

    private static final int IDLE = 2_000;
    private static final int TRICKLING = 2_000;
    private static final int OTHERS = 500;
    private static final String HEAD = "GET /livez HTTP/1.1\r\nHost: x\r\nX-Slow: ";
    private static final String BODY =
            "PUT /v1/queues/q/timers/slow HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{";

    @TempDir
    private Path directory;

    private final List<SocketChannel> idle = new ArrayList<>();
    private final List<SocketChannel> trickling = new ArrayList<>();
    private final AtomicInteger cut = new AtomicInteger();

    @Test
    void thousandsOfSlowClientsHoldNobodyUpAndAreCut() throws Exception {
        ScheduledExecutorService drips = Executors.newSingleThreadScheduledExecutor();
        try (RunningServer server = new RunningServer(directory)) {
            for (int i = 0; i < IDLE; i++) {
                idle.add(connect(server));
            }
            for (int i = 0; i < TRICKLING; i++) {
                SocketChannel channel = connect(server);
                channel.write(ByteBuffer.wrap((i % 2 == 0 ? HEAD : BODY).getBytes(StandardCharsets.US_ASCII)));
                channel.configureBlocking(false);
                trickling.add(channel);
            }
            Future<?> dripping = drips.scheduleAtFixedRate(this::drip, 0, 1, TimeUnit.SECONDS);
            int rounds = 0;
            while (cut.get() < TRICKLING) {
                for (int i = 0; i < OTHERS; i++) {
                    assertThat(server.put("q", "k" + i, "{\"delay\":\"1h\"}").status())
                            .isIn(200, 201);
                }
                assertThat(server.get("/readyz").status()).isEqualTo(200);
                assertThat(dripping.isDone()).as("the drips go on").isFalse();
                rounds++;
                assertThat(rounds).as("rounds until all were cut").isLessThan(100_000);
            }
            dripping.cancel(false);
            assertThat(server.get("q", "slow").status()).isEqualTo(404);
            // Between requests a connection may be idle for longer.
            for (SocketChannel channel : idle) {
                channel.configureBlocking(false);
                assertThat(channel.read(ByteBuffer.allocate(1))).isZero();
            }
            assertThat(server.live()).isEqualTo(OTHERS);
        } finally {
            drips.shutdownNow();
            for (SocketChannel channel : idle) {
                channel.close();
            }
            for (SocketChannel channel : trickling) {
                channel.close();
            }
        }
    }

    /** One byte for each, and a look whether it was answered 408 and closed. */
    private void drip() {
        synchronized (trickling) {
            for (Iterator<SocketChannel> each = trickling.iterator(); each.hasNext(); ) {
                SocketChannel channel = each.next();
                if (isCut(channel)) {
                    cut.incrementAndGet();
                    each.remove();
                }
            }
        }
    }

    private static boolean isCut(SocketChannel channel) {
        try {
            ByteBuffer answer = ByteBuffer.allocate(64);
            int read = channel.read(answer);
            if (read != 0) {
                String said = new String(answer.array(), 0, Math.max(0, read), StandardCharsets.US_ASCII);
                assertThat(said)
                        .satisfiesAnyOf(
                                text -> assertThat(text).startsWith("HTTP/1.1 408 "),
                                text -> assertThat(text).isEmpty());
                channel.close();
                return true;
            }
            channel.write(ByteBuffer.wrap(new byte[] {'x'}));
            return false;
        } catch (IOException e) {
            // It was reset: the byte came when it had been closed.
            return true;
        }
    }

    private static SocketChannel connect(RunningServer server) throws IOException {
        return SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
    }
}
