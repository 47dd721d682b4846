package io.tickwheel.server.targets;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Clock;
import io.tickwheel.server.RunningServer;
import io.tickwheel.server.RunningServer.Reply;
import io.tickwheel.server.config.ServerConfig;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The ways to write an address of this machine or network. A listener here must see no connection, whichever is scheduled or stored. */
final class ForbiddenDestinationsTest {

    /** Addresses however they are written; each is refused when it is scheduled. */
    private static final List<String> WRITTEN = List.of(
            "http://127.0.0.1:PORT/",
            "http://127.0.0.1:PORT",
            "http://127.0.0.2:PORT/",
            "http://127.1.2.3:PORT/",
            "http://127.255.255.255:PORT/",
            "http://127.000.000.001:PORT/",
            "http://127.0.0.01:PORT/",
            "http://0.0.0.0:PORT/",
            "http://0.0.0.1:PORT/",
            "http://0:PORT/",
            "http://127.1:PORT/",
            "http://127.0.1:PORT/",
            "http://127:PORT/",
            "http://2130706433:PORT/",
            "http://0017700000001:PORT/",
            "http://0177.0.0.1:PORT/",
            "http://0177.0.0.01:PORT/",
            "http://00000177.0.0.1:PORT/",
            "http://0x7f000001:PORT/",
            "http://0X7F000001:PORT/",
            "http://0x7f.0.0.1:PORT/",
            "http://0x7f.0x0.0x0.0x1:PORT/",
            "http://0x7f.1:PORT/",
            "http://0x7f.1.:PORT/",
            "http://127.0.0.0x1:PORT/",
            "http://127.0x1:PORT/",
            "http://4294967297:PORT/",
            "http://383.0.0.1:PORT/",
            "http://127.0.0.1.:PORT/",
            "http://127.0.0.1..:PORT/",
            "http://.127.0.0.1:PORT/",
            "http://127..0.0.1:PORT/",
            "http://127.0.0.1%00:PORT/",
            "http://127.0.0.1%2f@a.test:PORT/",
            "http://%31%32%37.0.0.1:PORT/",
            "http://127%2e0%2e0%2e1:PORT/",
            "http://\uFF11\uFF12\uFF17.0.0.1:PORT/",
            "http://127\u30020\u30020\u30021:PORT/",
            "http://\u2460\u2461\u2466.0.0.1:PORT/",
            "http://\u24DB\u24DE\u24D2alhost:PORT/",
            "http://l\u00ADocalhost:PORT/",
            "http://localhost:PORT/",
            "http://LOCALHOST:PORT/",
            "http://localhost.:PORT/",
            "http://a.localhost:PORT/",
            "http://[::1]:PORT/",
            "http://[0:0:0:0:0:0:0:1]:PORT/",
            "http://[0000:0000:0000:0000:0000:0000:0000:0001]:PORT/",
            "http://[::]:PORT/",
            "http://[0::0]:PORT/",
            "http://[::127.0.0.1]:PORT/",
            "http://[::7f00:1]:PORT/",
            "http://[::ffff:127.0.0.1]:PORT/",
            "http://[::FFFF:7f00:1]:PORT/",
            "http://[0:0:0:0:0:ffff:127.0.0.1]:PORT/",
            "http://[::ffff:0:127.0.0.1]:PORT/",
            "http://[64:ff9b::127.0.0.1]:PORT/",
            "http://[64:ff9b::7f00:1]:PORT/",
            "http://[64:ff9b:1::127.0.0.1]:PORT/",
            "http://[2002:7f00:1::]:PORT/",
            "http://[2002:7f00:1::1]:PORT/",
            "http://[2001:0:0:0:0:0:80ff:fffe]:PORT/",
            "http://[::1%25lo]:PORT/",
            "http://[::1%lo]:PORT/",
            "http://[fe80::1]:PORT/",
            "http://[fc00::1]:PORT/",
            "http://[fd00:ec2::254]:PORT/",
            "http://[fec0::1]:PORT/",
            "http://[ff02::1]:PORT/",
            "http://169.254.169.254:PORT/latest/meta-data/",
            "http://169.254.170.2:PORT/",
            "http://[::ffff:169.254.169.254]:PORT/",
            "http://2852039166:PORT/",
            "http://0xA9FEA9FE:PORT/",
            "http://0251.0376.0251.0376:PORT/",
            "http://100.100.100.200:PORT/",
            "http://168.63.129.16:PORT/",
            "http://192.0.0.192:PORT/",
            "http://10.0.0.1:PORT/",
            "http://172.16.0.1:PORT/",
            "http://192.168.0.1:PORT/",
            "http://100.64.0.1:PORT/",
            "http://198.18.0.1:PORT/",
            "http://240.0.0.1:PORT/",
            "http://224.0.0.1:PORT/",
            "http://255.255.255.255:PORT/",
            "http://a.test@127.0.0.1:PORT/",
            "http://a.test:80@127.0.0.1:PORT/",
            "http://127.0.0.1:PORT@a.test/",
            "http://a.test#@127.0.0.1:PORT/",
            "http://a.test\\@127.0.0.1:PORT/",
            "http:\\\\127.0.0.1:PORT/",
            "http:127.0.0.1:PORT/",
            "http:///127.0.0.1:PORT/",
            "//127.0.0.1:PORT/",
            "https://127.0.0.1:PORT/",
            "ftp://127.0.0.1:PORT/",
            "gopher://127.0.0.1:PORT/_x",
            "file:///etc/passwd",
            "jar:http://127.0.0.1:PORT/!/",
            "dict://127.0.0.1:PORT/",
            " http://127.0.0.1:PORT/",
            "http://127.0.0.1\u007f:PORT/",
            "http://127.0.0.1:PORT Host: x/");

    /** Names, which nobody knows the addresses of before they are called. */
    private static final Map<String, List<String>> NAMES = Map.of(
            "loopback.test", List.of("127.0.0.1"),
            "other.test", List.of("127.9.9.9"),
            "unspecified.test", List.of("0.0.0.0"),
            "six.test", List.of("::1"),
            "mapped.test", List.of("::ffff:127.0.0.1"),
            "translated.test", List.of("64:ff9b::7f00:1"),
            "metadata.test", List.of("169.254.169.254"),
            "last.test", List.of("127.0.0.1", "127.0.0.5"),
            "first.test", List.of("127.0.0.5", "127.0.0.1"));

    private final Vertx vertx = Vertx.vertx();
    private HttpTarget target;
    private final AtomicInteger connections = new AtomicInteger();
    private final LoopbackNameServer nameServer =
            new LoopbackNameServer((name, asked) -> NAMES.getOrDefault(name, List.of()));
    private ServerSocket listener;

    @BeforeEach
    void listen() throws IOException {
        listener = new ServerSocket();
        listener.bind(new InetSocketAddress((InetAddress) null, 0));
        Thread accepting = new Thread(
                () -> {
                    while (!listener.isClosed()) {
                        try (Socket socket = listener.accept()) {
                            connections.incrementAndGet();
                            socket.getOutputStream()
                                    .write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                                            .getBytes(StandardCharsets.US_ASCII));
                            socket.shutdownOutput();
                            socket.getInputStream().readAllBytes();
                        } catch (IOException e) {
                            // Whoever hangs up has been counted.
                        }
                    }
                },
                "listener");
        accepting.setDaemon(true);
        accepting.start();
    }

    @AfterEach
    void close() throws IOException {
        if (target != null) {
            target.close();
        }
        vertx.close().toCompletionStage().toCompletableFuture().join();
        listener.close();
        nameServer.close();
    }

    private HttpTarget target(Map<String, String> options) {
        target = new HttpTarget(vertx, vertx.getOrCreateContext(), Clock.system(), HttpSettings.read(options), 100);
        return target;
    }

    private Map<String, String> options(String... allowed) {
        Map<String, String> options =
                new TreeMap<>(Map.of("ports", "1-65535", "nameServers", nameServer.address(), "connectTimeout", "3s"));
        if (allowed.length > 0) {
            options.put("allow", String.join(", ", allowed));
        }
        return options;
    }

    private String url(String url) {
        return url.replace("PORT", Integer.toString(listener.getLocalPort()));
    }

    @Test
    void noneIsTakenAndNoneThatWasStoredBeforeIsCalled(@TempDir Path directory) throws Exception {
        ServerConfig config = ServerConfig.of("127.0.0.1", 0, directory).withTarget("http", options());
        try (RunningServer server = new RunningServer(config)) {
            target(options());
            for (String written : WRITTEN) {
                String url = url(written);
                Reply reply = server.put(
                        "q", "k", "{\"delay\":\"0s\",\"target\":{\"url\":\"" + url.replace("\\", "\\\\") + "\"}}");
                assertThat(reply.status()).as(url).isEqualTo(422);
                assertThat(reply.field("code")).as(url).isIn("invalid_url", "destination_not_allowed");
                assertThat(SentCallback.to(url, new byte[0], target).get(30, TimeUnit.SECONDS))
                        .as(url)
                        .matches("(?s)rejected: the stored URL must.*|rejected: the stored URL has the character.*"
                                + "|unreachable: .* is not known, or no destination that is allowed");
            }
            assertThat(server.live()).isZero();
        }
        assertThat(connections).hasValue(0);
    }

    @Test
    void namesOfForbiddenAddressesAreNotConnectedTo() throws Exception {
        target(options("127.0.0.5"));
        for (String name : NAMES.keySet()) {
            assertThat(SentCallback.to(url("http://" + name + ":PORT/"), new byte[0], target)
                            .get(30, TimeUnit.SECONDS))
                    .isEqualTo(url("unreachable: " + name + ":PORT is not known, or no destination that is allowed"));
        }
        assertThat(connections).hasValue(0);
    }

    /** Else who schedules could ask for the names of a network one after the other. */
    @Test
    void nameThatIsNotKnownIsNotToldFromOneThatMustNotBeCalled() throws Exception {
        target(options());
        List<String> told = new ArrayList<>();
        for (String name : List.of("metadata.test", "nobody.test")) {
            told.add(SentCallback.to("http://" + name + "/", new byte[0], target)
                    .get(30, TimeUnit.SECONDS)
                    .replace(name, "NAME"));
        }
        assertThat(told)
                .containsExactly(
                        "unreachable: NAME:80 is not known, or no destination that is allowed",
                        "unreachable: NAME:80 is not known, or no destination that is allowed");
        assertThat(connections).hasValue(0);
    }

    /** Else the test above would see nothing, whatever is called. */
    @Test
    void theSameNamesAreConnectedToWhereTheyAreAllowed() throws Exception {
        target(options("127.0.0.0/8"));
        for (String name : List.of("loopback.test", "other.test", "mapped.test", "first.test", "LOCALHOST")) {
            assertThat(SentCallback.to(url("http://" + name + ":PORT/"), new byte[0], target)
                            .get(30, TimeUnit.SECONDS))
                    .as(name)
                    .isEqualTo("acknowledged");
        }
        assertThat(connections).hasValue(5);
    }

    @Test
    void whatIsRefusedIsToldWithHostAndRuleAndAFailureTellsNoAddress(@TempDir Path directory) {
        ServerConfig config = ServerConfig.of("127.0.0.1", 0, directory).withTarget("http", options());
        try (RunningServer server = new RunningServer(config)) {
            Reply refused = server.put("q", "k", "{\"delay\":\"0s\",\"target\":{\"url\":\"http://10.1.2.3/\"}}");
            assertThat(refused.status()).isEqualTo(422);
            assertThat(refused.field("code")).isEqualTo("destination_not_allowed");
            assertThat(refused.field("detail"))
                    .contains("target.url")
                    .contains("must not go to 10.1.2.3, which is private (10.0.0.0/8) and not in targets.http.allow");
            String retry = "\"retry\":{\"maxAttempts\":1},";
            server.put("q", "n", "{\"delay\":\"0s\"," + retry + "\"target\":{\"url\":\"http://metadata.test/\"}}");
            Reply dead = server.await("q", "n", reply -> reply.field("state").equals("DEAD"));
            assertThat(dead.body())
                    .contains("metadata.test:80 is not known, or no destination that is allowed")
                    .doesNotContain("169.254");
            Reply queue = server.send(
                    "PUT", "/v1/queues/q", RunningServer.JSON, "{\"target\":{\"url\":\"http://[fd00::1]/\"}}");
            assertThat(queue.status()).isEqualTo(422);
            assertThat(queue.field("code")).isEqualTo("destination_not_allowed");
        }
    }

    @Test
    void redirectsLeadNowhere() throws Exception {
        List<String> answers = new ArrayList<>();
        target(options("127.0.0.5"));
        for (int status : new int[] {300, 301, 302, 303, 307, 308}) {
            for (String to : new String[] {url("http://127.0.0.1:PORT/"), "file:///etc/passwd", "//127.0.0.1/"}) {
                try (ServerSocket receiver = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.5"))) {
                    var outcome =
                            SentCallback.to("http://127.0.0.5:" + receiver.getLocalPort() + "/", new byte[0], target);
                    try (Socket socket = receiver.accept()) {
                        socket.getOutputStream()
                                .write(("HTTP/1.1 " + status + " Go\r\nLocation: " + to
                                                + "\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
                                        .getBytes(StandardCharsets.US_ASCII));
                        answers.add(outcome.get(30, TimeUnit.SECONDS));
                    }
                }
                assertThat(answers.get(answers.size() - 1))
                        .isEqualTo("unreachable: HTTP " + status + ", and redirects are not followed");
            }
        }
        assertThat(connections).hasValue(0);
    }
}
