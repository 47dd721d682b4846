package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.tickwheel.server.RunningServer;
import io.tickwheel.server.config.LogConfig;
import io.tickwheel.server.config.ServerConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

final class AccessLogTest {

    @TempDir
    private Path directory;

    private final Logger log = (Logger) LoggerFactory.getLogger(AccessLog.NAME);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    @BeforeEach
    void listen() {
        lines.start();
        log.addAppender(lines);
    }

    @AfterEach
    void end() {
        log.detachAppender(lines);
    }

    private List<String> lines() {
        assertThat(lines.list).extracting(ILoggingEvent::getLevel).containsOnly(Level.INFO);
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    private RunningServer start(LogConfig config) {
        return new RunningServer(ServerConfig.of("127.0.0.1", 0, directory).withLog(config));
    }

    @Test
    void nobodyWritesALineUnlessAskedTo() {
        try (RunningServer server = start(LogConfig.DEFAULT)) {
            server.get("/livez");
        }
        assertThat(lines.list).isEmpty();
    }

    @Test
    void eachAnswerIsALineOfText() {
        try (RunningServer server = start(new LogConfig(false, true))) {
            server.put("q", "k%0A", "{\"delay\":\"1h\"}");
            server.put("q", "k", "{\"delay\":\"1h\",\"target\":{\"log\":{}}}");
            server.get("/v1/queues/q/timers?limit=1");
            server.send("OPTIONS", "/livez", null, null);
            server.send("HEAD", "/livez", null, null);
        }
        String head = "\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z 127\\.0\\.0\\.1 - ";
        assertThat(lines()).hasSize(5);
        assertThat(lines().get(0)).matches(head + "PUT /v1/queues/q/timers/k%0A 4\\d\\d [\\d.]+ 14 \\d+");
        assertThat(lines().get(1)).matches(head + "PUT /v1/queues/q/timers/k 201 [\\d.]+ 34 \\d+");
        assertThat(lines().get(2)).as("without the query").matches(head + "GET /v1/queues/q/timers 200 [\\d.]+ 0 \\d+");
        assertThat(lines().get(3)).matches(head + "OPTIONS /livez 204 [\\d.]+ 0 0");
        assertThat(lines().get(4)).matches(head + "HEAD /livez 200 [\\d.]+ 0 0");
    }

    @Test
    void whatCouldNotBeReadHasNeitherMethodNorPath() throws IOException {
        try (RunningServer server = start(new LogConfig(false, true));
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream()
                    .write("PUT /livez HTTP/9.9\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(socket.getInputStream().readAllBytes()).isNotEmpty();
        }
        assertThat(lines()).hasSize(1);
        assertThat(lines().get(0)).contains(" 127.0.0.1 - - - 505 ");
    }

    @Test
    void theNameOfATokenIsThereAndNothingOfItself() {
        try (RunningServer running = new RunningServer(
                Tokened.asking(ServerConfig.of("127.0.0.1", 0, directory).withLog(new LogConfig(false, true))))) {
            Tokened server = new Tokened(running);
            String secret = server.make("\"scopes\":[\"read\"]").text();
            server.call(secret, "GET", "/v1/queues", null);
            server.call("tw_none", "GET", "/v1/queues", null);

            assertThat(lines()).hasSize(3);
            assertThat(lines().get(0)).contains(" configured POST /v1/tokens 201 ");
            assertThat(lines().get(1)).contains(" made GET /v1/queues 200 ");
            assertThat(lines().get(2)).contains(" - GET /v1/queues 401 ");
            assertThat(lines().toString()).doesNotContain(secret, Tokened.ADMIN.reveal());
        }
    }

    @Test
    void aLineCanBeAnObject() {
        try (RunningServer server = start(new LogConfig(true, true))) {
            server.get("/livez");
        }
        assertThat(lines()).hasSize(1);
        assertThat(lines().get(0))
                .matches(
                        "\\{\"time\":\"[^\"]+\",\"address\":\"127\\.0\\.0\\.1\",\"token\":\"-\",\"method\":\"GET\","
                                + "\"path\":\"/livez\",\"status\":200,\"durationMs\":\\d+\\.\\d{3},\"bytesIn\":0,\"bytesOut\":17}");
    }
}
