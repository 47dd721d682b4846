package io.tickwheel.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.wheel.WheelTimer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class KeyValueServerTest {

    private static final Duration MOMENT = Duration.ofMillis(1);

    private final ManualClock clock = new ManualClock();
    private final WheelTimer timer = clock.timerBuilder().build();
    private KeyValueServer server;

    @BeforeEach
    void start() throws IOException {
        server = new KeyValueServer(0, timer);
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
        timer.close();
    }

    @Test
    void clientOfRedisSeesValuesEnd() {
        RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", server.port()));
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            RedisCommands<String, String> redis = connection.sync();
            assertThat(redis.ping()).isEqualTo("PONG");
            assertThat(redis.set("k", "v", SetArgs.Builder.ex(10))).isEqualTo("OK");
            assertThat(redis.set("short", "v", SetArgs.Builder.px(5))).isEqualTo("OK");
            assertThat(redis.set("forever", "v")).isEqualTo("OK");
            assertThat(redis.pttl("k")).isEqualTo(10_000);
            clock.advance(Duration.ofSeconds(10).minus(MOMENT));
            assertThat(redis.get("short")).isNull();
            assertThat(redis.get("k")).isEqualTo("v");
            assertThat(redis.pttl("k")).isEqualTo(1);
            clock.advance(MOMENT);
            assertThat(redis.get("k")).isNull();
            assertThat(redis.pttl("k")).isEqualTo(-2);
            clock.advance(Duration.ofDays(365));
            assertThat(redis.get("forever")).isEqualTo("v");
            assertThat(redis.ttl("forever")).isEqualTo(-1);
            assertThatThrownBy(() -> redis.set("k", "v", SetArgs.Builder.ex(10).nx()))
                    .isInstanceOf(RedisCommandExecutionException.class)
                    .hasMessage("ERR syntax error");
            assertThatThrownBy(() -> redis.incr("k")).hasMessageStartingWith("ERR unknown command 'INCR'");
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(5));
        }
    }

    @Test
    void anotherEndTakesThePlaceOfTheOneBefore() throws IOException {
        assertThat(ask("SET k v EX 10")).isEqualTo("+OK");
        assertThat(ask("EXPIRE k 20")).isEqualTo(":1");
        assertThat(timer.pending()).as("timeouts of one value").isEqualTo(1);
        clock.advance(Duration.ofSeconds(10));
        assertThat(ask("TTL k")).isEqualTo(":10");
        assertThat(ask("PERSIST k")).isEqualTo(":1");
        assertThat(ask("PERSIST k")).isEqualTo(":0");
        assertThat(timer.pending()).as("timeouts of a value without an end").isZero();
        clock.advance(Duration.ofSeconds(20));
        assertThat(ask("TTL k")).isEqualTo(":-1");
        assertThat(ask("SET k v PX 1500")).isEqualTo("+OK");
        assertThat(ask("TTL k")).isEqualTo(":2");
        assertThat(ask("SET k w")).isEqualTo("+OK");
        clock.advance(Duration.ofSeconds(20));
        assertThat(ask("GET k")).isEqualTo("$1 w");
        assertThat(ask("EXPIRE k 0")).isEqualTo(":1");
        assertThat(ask("GET k")).isEqualTo("$-1");
        assertThat(ask("EXPIRE k 10")).isEqualTo(":0");
        assertThat(timer.pending()).as("timeouts of what has gone").isZero();
    }

    @Test
    void deletedValuesLeaveNoTimeout() throws IOException {
        ask("SET a v EX 10");
        ask("SET b v EX 10");
        assertThat(timer.pending()).isEqualTo(2);
        assertThat(ask("DEL a b c")).isEqualTo(":2");
        assertThat(timer.pending()).isZero();
        assertThat(ask("SET a new")).isEqualTo("+OK");
        clock.advance(Duration.ofSeconds(20));
        assertThat(ask("GET a")).isEqualTo("$3 new");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "PING                | +PONG",
                "ping hello          | $5 hello",
                "COMMAND DOCS        | *0",
                "GET                 | -ERR wrong number of arguments for 'get' command",
                "SET k               | -ERR wrong number of arguments for 'set' command",
                "TTL a b             | -ERR wrong number of arguments for 'ttl' command",
                "DEL                 | -ERR wrong number of arguments for 'del' command",
                "SET k v EX          | -ERR syntax error",
                "SET k v NX          | -ERR syntax error",
                "SET k v EX soon     | -ERR value is not an integer or out of range",
                "SET k v EX 0        | -ERR invalid expire time in 'set' command",
                "SET k v PX -1       | -ERR invalid expire time in 'set' command",
                "EXPIRE k 9000000000000000000 | -ERR invalid expire time in 'expire' command",
                "HELLO 3             | -ERR unknown command 'HELLO', with args beginning with: '3' ",
                "Get nothing         | $-1",
            },
            ignoreLeadingAndTrailingWhitespace = false)
    void lineIsAnsweredAsRedisDoes(String line, String answer) throws IOException {
        assertThat(ask(line.strip())).isEqualTo(answer.substring(1));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "*1;$1048577;               | invalid bulk length",
                "*2;$1048576;MEBIBYTE;$1;   | invalid bulk length",
                "*1;$-1;                    | invalid bulk length",
                "*1;$x;                     | invalid bulk length",
                "*1025;                     | invalid multibulk length",
                "*99999999999;              | invalid multibulk length",
                "*1;:5;                     | expected '$', got ':'",
                "*000000000000000000000000000000001;  | too big mbulk count string",
                "*1;$00000000000000000000000000000001;  | too big bulk count string",
            })
    void whatIsNoCommandIsRefusedAndEndsTheConnection(String sent, String rule) throws IOException {
        String bytes = sent.replace("MEBIBYTE", "x".repeat(1 << 20)).replace(";", "\r\n");
        assertThat(exchange("PING\r\n" + bytes)).isEqualTo("+PONG\r\n-ERR Protocol error: " + rule + "\r\n");
    }

    @Test
    void lineThatDoesNotEndIsRefused() throws IOException {
        assertThat(exchange("x".repeat((64 << 10) + 1))).isEqualTo("-ERR Protocol error: too big inline request\r\n");
    }

    @Test
    void manyCommandsAtOnceAreAnsweredInTheirOrder() throws IOException {
        String value = "x".repeat(100_000);
        String set = "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$" + value.length() + "\r\n" + value + "\r\n";
        String last = "*1025\r\n";
        assertThat(exchange(set + "\r\n*0\r\n" + "GET k\r\n".repeat(50) + last))
                .isEqualTo("+OK\r\n" + ("$100000\r\n" + value + "\r\n").repeat(50)
                        + "-ERR Protocol error: invalid multibulk length\r\n");
    }

    /** Sends a line, and gives the answer, its parts with a space between them. */
    private String ask(String line) throws IOException {
        // What is no command ends the connection, so that all of the answer is read.
        String answer = exchange(line + "\r\n*1025\r\n");
        String refusal = "\r\n-ERR Protocol error: invalid multibulk length\r\n";
        assertThat(answer).endsWith(refusal);
        return answer.substring(0, answer.length() - refusal.length()).replace("\r\n", " ");
    }

    /** Sends bytes, and gives all that comes until the server ends the connection. */
    private String exchange(String bytes) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }
}
