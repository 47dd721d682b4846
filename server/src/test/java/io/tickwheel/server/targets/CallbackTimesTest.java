package io.tickwheel.server.targets;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Clock;
import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How long an attempt may take, as a timeline: its timer comes when a test says so. */
final class CallbackTimesTest {

    private static final Map<String, String> OPTIONS = Map.of(
            "allow", "127.0.0.1",
            "ports", "1-65535",
            "connectTimeout", "1m",
            "headTimeout", "4m",
            "totalTimeout", "9m");

    private static final int MINUTE_MS = 60_000;

    private final Vertx vertx = Vertx.vertx();
    private final Context loop = vertx.getOrCreateContext();
    private final Map<Long, Timer> timers = new TreeMap<>();
    private long lastTimer;

    private final HttpTarget target =
            new HttpTarget(withTimersByHand(), loop, Clock.system(), HttpSettings.read(OPTIONS), 1);

    private record Timer(long delayMs, Handler<Long> handler) {}

    @AfterEach
    void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    /** Only the event loop asks it for timers. */
    private Vertx withTimersByHand() {
        return (Vertx) Proxy.newProxyInstance(
                CallbackTimesTest.class.getClassLoader(),
                new Class<?>[] {Vertx.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "setTimer" -> {
                        timers.put(++lastTimer, handler(arguments));
                        yield lastTimer;
                    }
                    case "cancelTimer" -> timers.remove((Long) arguments[0]) != null;
                    default -> method.invoke(vertx, arguments);
                });
    }

    @SuppressWarnings("unchecked")
    private static Timer handler(Object[] arguments) {
        return new Timer((long) arguments[0], (Handler<Long>) arguments[1]);
    }

    /** The delays of all timers that are set, behind what the event loop has to do now. */
    private String delays() throws Exception {
        return onLoop(
                () -> timers.values().stream().map(Timer::delayMs).toList().toString());
    }

    /** The time of the only timer has come. */
    private void letTimePass() throws Exception {
        onLoop(() -> {
            Map.Entry<Long, Timer> only =
                    Map.copyOf(timers).entrySet().iterator().next();
            timers.remove(only.getKey());
            only.getValue().handler.handle(only.getKey());
            return "";
        });
    }

    private String onLoop(Supplier<String> step) throws Exception {
        CompletableFuture<String> done = new CompletableFuture<>();
        loop.runOnContext(go -> {
            try {
                done.complete(step.get());
            } catch (RuntimeException e) {
                done.completeExceptionally(e);
            }
        });
        return done.get(20, TimeUnit.SECONDS);
    }

    private CompletableFuture<String> deliver(ServerSocket receiver, CompletableFuture<Integer> status) {
        CompletableFuture<String> how = new CompletableFuture<>();
        target.deliver(
                SentCallback.attempt("http://127.0.0.1:" + receiver.getLocalPort() + "/", new byte[] {'x'}, 1),
                new SentCallback.Outcome(how) {
                    @Override
                    public void answered(int code) {
                        status.complete(code);
                    }
                });
        return how;
    }

    private static String ended(CompletableFuture<String> outcome)
            throws ExecutionException, InterruptedException, TimeoutException {
        return outcome.get(20, TimeUnit.SECONDS);
    }

    private static void say(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void headIsAwaitedFromTheStartOfTheAttemptAndNoLonger() throws Exception {
        try (ServerSocket receiver = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<String> outcome = deliver(receiver, new CompletableFuture<>());
            try (Socket socket = receiver.accept()) {
                assertThat(socket.getInputStream().read()).isEqualTo('P');
                assertThat(delays()).isEqualTo("[" + MINUTE_MS + "]");
                letTimePass();
                assertThat(delays()).as("of four minutes").isEqualTo("[" + 3 * MINUTE_MS + "]");
                assertThat(outcome).isNotDone();
                letTimePass();
                assertThat(ended(outcome))
                        .isEqualTo("unreachable: no answer from 127.0.0.1:" + receiver.getLocalPort() + " in 240 s");
                assertThat(delays()).isEqualTo("[]");
            }
        }
    }

    @Test
    void headThatComesLateHasTheRestAwaitedUntilTheTimeOfAllIsOver() throws Exception {
        CompletableFuture<Integer> status = new CompletableFuture<>();
        try (ServerSocket receiver = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<String> outcome = deliver(receiver, status);
            try (Socket socket = receiver.accept()) {
                assertThat(socket.getInputStream().read()).isEqualTo('P');
                letTimePass();
                say(socket, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc");
                assertThat(status.get(20, TimeUnit.SECONDS)).isEqualTo(200);
                letTimePass();
                assertThat(delays()).as("of nine minutes, after four").isEqualTo("[" + 5 * MINUTE_MS + "]");
                assertThat(outcome).isNotDone();
                letTimePass();
                assertThat(ended(outcome)).isEqualTo("acknowledged");
                assertThat(delays()).isEqualTo("[]");
            }
        }
    }

    @Test
    void headThatComesSoonHasTheRestAwaitedUntilTheTimeOfAllIsOver() throws Exception {
        CompletableFuture<Integer> status = new CompletableFuture<>();
        try (ServerSocket receiver = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<String> outcome = deliver(receiver, status);
            try (Socket socket = receiver.accept()) {
                assertThat(socket.getInputStream().read()).isEqualTo('P');
                say(socket, "HTTP/1.1 500 No\r\nContent-Length: 9\r\n\r\nabc");
                assertThat(status.get(20, TimeUnit.SECONDS)).isEqualTo(500);
                letTimePass();
                assertThat(delays()).as("of nine minutes, after one").isEqualTo("[" + 8 * MINUTE_MS + "]");
                letTimePass();
                assertThat(ended(outcome)).isEqualTo("failed: HTTP 500");
            }
        }
    }

    @Test
    void attemptThatHasEndedLeavesNoTimer() throws Exception {
        try (ServerSocket receiver = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<String> outcome = deliver(receiver, new CompletableFuture<>());
            try (Socket socket = receiver.accept()) {
                assertThat(socket.getInputStream().read()).isEqualTo('P');
                say(socket, "HTTP/1.1 204 No\r\n\r\n");
                assertThat(ended(outcome)).isEqualTo("acknowledged");
                assertThat(delays()).isEqualTo("[]");
            }
        }
    }

    @Test
    void attemptThatEndsAsItBeginsLeavesNoTimer() throws Exception {
        CompletableFuture<String> outcome = SentCallback.to("http://127.0.0.2:81/", new byte[0], target);
        assertThat(ended(outcome)).startsWith("unreachable: 127.0.0.2:81 is not known");
        assertThat(delays()).isEqualTo("[]");
    }
}
