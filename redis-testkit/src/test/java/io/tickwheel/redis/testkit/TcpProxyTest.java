package io.tickwheel.redis.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class TcpProxyTest {

    private static final Duration PROMPT = Duration.ofSeconds(10);
    private static final Duration LONG_ENOUGH_TO_HANG = Duration.ofMillis(200);

    private final RedisServer redis = RedisServer.builder().start();
    private final TcpProxy proxy = TcpProxy.to(redis.port());

    @AfterEach
    void close() {
        proxy.close();
        redis.close();
    }

    @Test
    void bytesPassAndAreCounted() throws IOException {
        try (RedisConnection client = connect(PROMPT)) {
            assertThat(client.call("PING")).isEqualTo("PONG");
            // Counted once they are passed on, when the answer may be there already.
            await(() -> proxy.bytesToServer() == "*1\r\n$4\r\nPING\r\n".length());
            await(() -> proxy.bytesToClient() == "+PONG\r\n".length());
            String long1 = "x".repeat(1_000_000);
            client.call("SET", "long", long1);
            assertThat(client.call("GET", "long")).isEqualTo(long1);
            await(() -> proxy.bytesToServer() > 1_000_000);
            assertThat(proxy.bytesToServer()).isLessThan(1_001_000);
        }
        await(() -> proxy.connections() == 0);
    }

    @Test
    void aCutEndsConnectionsButNewOnesAreTaken() throws IOException {
        try (RedisConnection client = connect(PROMPT);
                RedisConnection other = connect(PROMPT)) {
            client.call("PING");
            other.call("PING");
            proxy.cut();
            assertThatExceptionOfType(IOException.class).isThrownBy(() -> client.call("PING"));
            assertThatExceptionOfType(IOException.class).isThrownBy(() -> other.call("PING"));
            assertThat(proxy.connections()).isZero();
        }
        assertThat(pingOnce()).isEqualTo("PONG");
        // The server has seen them end too: what is left is the connection that asks.
        await(() -> String.valueOf(redis.command("INFO", "clients")).contains("connected_clients:1\r\n"));
    }

    @Test
    void whileItRefusesOnlyOldConnectionsWork() throws IOException {
        try (RedisConnection old = connect(PROMPT)) {
            assertThat(old.call("PING")).isEqualTo("PONG");
            proxy.refuse();
            assertThatExceptionOfType(ConnectException.class).isThrownBy(this::pingOnce);
            assertThat(old.call("PING")).isEqualTo("PONG");
            proxy.accept();
            assertThat(pingOnce()).isEqualTo("PONG");
            assertThat(old.call("PING")).isEqualTo("PONG");
        }
    }

    @Test
    void aSwallowedReplyLeavesTheWriteThere() throws IOException {
        try (RedisConnection client = connect(PROMPT)) {
            client.call("PING");
            proxy.swallowReplies();
            client.send("SET", "order", "42");
            await(() -> proxy.bytesSwallowed() == "+OK\r\n".length());
            assertThat(redis.command("GET", "order")).isEqualTo("42");
            long passed = proxy.bytesToClient();
            proxy.cut();
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> client.call("PING"))
                    .satisfies(end -> assertThat(end).isNotInstanceOf(SocketTimeoutException.class));
            assertThat(proxy.bytesToClient()).isEqualTo(passed);
        }
        assertThat(pingOnce()).isEqualTo("PONG");
    }

    @Test
    void aStalledConnectionHangsAndThenGoesOn() throws IOException {
        try (RedisConnection client = connect(LONG_ENOUGH_TO_HANG);
                RedisConnection late = new RedisConnection(proxy.port(), PROMPT, StandardCharsets.UTF_8)) {
            client.call("SET", "order", "1");
            proxy.stall();
            assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(() -> client.call("INCR", "order"));
            late.send("INCR", "order");
            assertThat(redis.command("GET", "order")).isEqualTo("1");

            proxy.flow();
            await(() -> "3".equals(redis.command("GET", "order")));
            // The reply that the client gave up on is still the next one on its connection.
            assertThat(client.call("PING")).isIn(2L, 3L);
        }
    }

    @Test
    void aStallHidesTheEndOfTheServer() throws IOException {
        try (RedisConnection client = connect(LONG_ENOUGH_TO_HANG)) {
            client.call("PING");
            proxy.stall();
            redis.kill();
            assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(() -> client.call("PING"));
            proxy.flow();
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> client.call("PING"))
                    .satisfies(end -> assertThat(end).isNotInstanceOf(SocketTimeoutException.class));
        }
    }

    @Test
    void aCutEndsStalledConnectionsToo() throws IOException {
        try (RedisConnection client = connect(PROMPT)) {
            client.call("PING");
            proxy.stall();
            client.send("SET", "order", "42");
            proxy.cut();
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> client.call("PING"))
                    .satisfies(end -> assertThat(end).isNotInstanceOf(SocketTimeoutException.class));
            proxy.flow();
            assertThat(pingOnce()).isEqualTo("PONG");
            assertThat(redis.command("GET", "order")).isNull();
        }
    }

    @Test
    void aClientSeesThatTheServerIsDown() {
        redis.kill();
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(this::pingOnce)
                .satisfies(end -> assertThat(end).isNotInstanceOf(SocketTimeoutException.class));
        redis.restart();
        assertThat(proxy.connections()).isZero();
    }

    @Test
    void afterCloseNobodyListens() {
        proxy.close();
        assertThatExceptionOfType(ConnectException.class).isThrownBy(this::pingOnce);
        proxy.accept();
        assertThatExceptionOfType(ConnectException.class).isThrownBy(this::pingOnce);
    }

    private RedisConnection connect(Duration timeout) throws IOException {
        return new RedisConnection(proxy.port(), timeout, StandardCharsets.UTF_8);
    }

    private Object pingOnce() throws IOException {
        try (RedisConnection client = connect(PROMPT)) {
            return client.call("PING");
        }
    }

    private static void await(BooleanSupplier condition) {
        assertThat(Patience.tryUntil(PROMPT, condition)).isTrue();
    }
}
