package io.tickwheel.redis.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(180)
final class RedisServerTest {

    static List<RedisBinary> binaries() {
        return RedisBinary.usable();
    }

    @ParameterizedTest
    @MethodSource("binaries")
    void repliesComeInTheirTypes(RedisBinary binary) {
        try (RedisServer redis = RedisServer.builder().binary(binary).start()) {
            assertThat(redis.command("GET", "nothing")).isNull();
            assertThat(redis.command("SET", "word", "größer\r\n")).isEqualTo("OK");
            assertThat(redis.command("GET", "word")).isEqualTo("größer\r\n");
            assertThat(redis.command("INCRBY", "count", "-7")).isEqualTo(-7L);
            assertThat(redis.command("EVAL", "return {1, 'a', {}, false, ''}", "0"))
                    .isEqualTo(Arrays.asList(1L, "a", List.of(), null, ""));
            assertThat(redis.command("BLPOP", "nothing", "0.01")).isNull();
            assertThatExceptionOfType(RedisError.class)
                    .isThrownBy(() -> redis.command("LPUSH", "word", "x"))
                    .withMessageStartingWith("WRONGTYPE Operation")
                    .satisfies(error -> assertThat(error.code()).isEqualTo("WRONGTYPE"));
            assertThat((String) redis.command("INFO", "server")).contains("_version:" + binary.version());
        }
    }

    @ParameterizedTest
    @MethodSource("binaries")
    void whatIsInTheAppendOnlyFileSurvivesAKill(RedisBinary binary) {
        try (RedisServer redis =
                RedisServer.builder().binary(binary).config("appendonly", "yes").start()) {
            redis.command("SET", "order", "42");
            long pid = redis.pid();

            redis.kill();
            assertThat(ProcessHandle.of(pid)).isEmpty();
            assertThatExceptionOfType(UncheckedIOException.class)
                    .isThrownBy(() -> redis.command("PING"))
                    .withMessageContaining("" + redis.port());

            redis.restart();
            assertThat(redis.command("GET", "order")).isEqualTo("42");
            assertThat(redis.pid()).isNotEqualTo(pid);
        }
    }

    @Test
    void whatIsOnlyInMemoryDoesNotSurviveAKill() {
        try (RedisServer redis = RedisServer.builder().start()) {
            redis.command("SET", "order", "42");
            redis.kill();
            redis.restart();
            assertThat(redis.command("GET", "order")).isNull();
        }
    }

    @Test
    void aRestartWithoutAKillIsOrderly() {
        try (RedisServer redis = RedisServer.builder().config("save", "3600 1").start()) {
            redis.command("SET", "order", "42");
            int port = redis.port();
            redis.restart();
            assertThat(redis.port()).isEqualTo(port);
            assertThat(redis.command("GET", "order")).isEqualTo("42");
            assertThat(redis.log()).contains("Received SIGTERM");
        }
    }

    @Test
    void aPausedServerAnswersOnlyAfterItResumes() {
        try (RedisServer redis =
                RedisServer.builder().commandTimeout(Duration.ofMillis(300)).start()) {
            redis.pause();
            assertThat(redis.isAlive()).isTrue();
            assertThatExceptionOfType(UncheckedIOException.class)
                    .isThrownBy(() -> redis.command("INCR", "count"))
                    .withCauseInstanceOf(SocketTimeoutException.class);
            redis.resume();
            assertThat(redis.command("PING")).isEqualTo("PONG");
            redis.pause();
            redis.kill();
            redis.restart();
            assertThat(redis.command("PING")).isEqualTo("PONG");
        }
    }

    @Test
    void directivesReachTheServer() {
        try (RedisServer redis = RedisServer.builder()
                .config("maxmemory", "10mb")
                .config("notify-keyspace-events", "")
                .config("save", "60 1")
                .start()) {
            assertThat(redis.command("CONFIG", "GET", "maxmemory")).isEqualTo(List.of("maxmemory", "10485760"));
            assertThat(redis.command("CONFIG", "GET", "save")).isEqualTo(List.of("save", "60 1"));
        }
    }

    @Test
    void thePasswordIsAskedFor() throws IOException {
        try (RedisServer redis =
                        RedisServer.builder().password("it's \"secret\"").start();
                RedisConnection stranger =
                        new RedisConnection(redis.port(), Duration.ofSeconds(5), StandardCharsets.UTF_8)) {
            assertThat(redis.command("PING")).isEqualTo("PONG");
            assertThatExceptionOfType(RedisError.class)
                    .isThrownBy(() -> stranger.call("PING"))
                    .withMessageStartingWith("NOAUTH");
        }
    }

    @Test
    void usersComeFromAFile(@TempDir Path folder) throws IOException {
        Path users =
                Files.writeString(folder.resolve("users.acl"), "user default off\nuser admin on >root ~* &* +@all\n");
        try (RedisServer redis = RedisServer.builder()
                .config("aclfile", users.toString())
                .login("admin", "root")
                .start()) {
            assertThat(redis.command("ACL", "WHOAMI")).isEqualTo("admin");
        }
    }

    @Test
    void itListensWithTlsToo(@TempDir Path folder) throws Exception {
        X509Bundle made = new CertificateBuilder()
                .subject("CN=localhost")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        Path certificate = Files.writeString(folder.resolve("cert.pem"), made.getCertificatePEM());
        Path key = Files.writeString(folder.resolve("key.pem"), made.getPrivateKeyPEM());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, made.toTrustManagerFactory().getTrustManagers(), null);

        try (RedisServer redis =
                        RedisServer.builder().tls(certificate, key, certificate).start();
                SSLSocket socket = (SSLSocket)
                        context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), redis.tlsPort())) {
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            assertThat(in.readNBytes(7)).asString(StandardCharsets.US_ASCII).isEqualTo("+PONG\r\n");
            assertThat(redis.command("PING")).isEqualTo("PONG");
        }
    }

    @Test
    void theErrorOfAFailedStartHasTheLog() {
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(
                        () -> RedisServer.builder().config("no-such-thing", "1").start())
                .withMessageContaining("process has ended")
                .withMessageContaining("no-such-thing");
    }

    @Test
    void itListensOnTheLoopbackInterfaceOnly() {
        try (RedisServer redis = RedisServer.builder().start()) {
            assertThat(redis.command("CONFIG", "GET", "bind")).isEqualTo(List.of("bind", "127.0.0.1"));
        }
    }

    @Test
    void closingLeavesNothingBehind() throws IOException {
        RedisServer redis = RedisServer.builder().config("appendonly", "yes").start();
        long pid = redis.pid();
        assertThat(redis.directory()).isNotEmptyDirectory();
        redis.close();
        redis.close();
        assertThat(ProcessHandle.of(pid)).isEmpty();
        assertThat(redis.directory()).doesNotExist();
        try (ServerSocket free = new ServerSocket(redis.port(), 1, InetAddress.getLoopbackAddress())) {
            assertThat(free.isBound()).isTrue();
        }
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(redis::restart);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void noServerOutlivesItsJvm(String way, @TempDir Path temporary) throws Exception {
        Process jvm = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-Djava.io.tmpdir=" + temporary,
                        "-cp",
                        System.getProperty("java.class.path"),
                        AbandonedRedis.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        ProcessHandle redis =
                ProcessHandle.of(Long.parseLong(jvm.inputReader().readLine())).orElseThrow();
        assertThat(redis.isAlive()).isTrue();
        if (way.equals("killed")) {
            jvm.destroyForcibly();
        } else {
            jvm.outputWriter().close();
        }
        assertThat(Patience.ended(jvm, Duration.ofSeconds(60))).isTrue();
        assertThat(Patience.tryUntil(Duration.ofSeconds(60), () -> !redis.isAlive()))
                .isTrue();
        if (way.equals("exits")) {
            assertThat(temporary).isEmptyDirectory();
        }
    }

    static List<String> ways() {
        return List.of("exits", "killed");
    }
}
