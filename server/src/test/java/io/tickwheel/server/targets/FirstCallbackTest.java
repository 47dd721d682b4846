package io.tickwheel.server.targets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import ch.qos.logback.classic.Level;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Target;
import io.tickwheel.engine.TargetOptions;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.server.LoggedEvents;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientOptions;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class FirstCallbackTest {

    private final Vertx vertx = Vertx.vertx();

    @AfterEach
    void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    @Test
    void itReachesThisProcessAndLeavesNoPortOpen() throws Exception {
        CompletableFuture<Integer> port = new CompletableFuture<>();
        String outcome = make(settings -> {
            port.complete(port(settings));
            return settings;
        });
        assertThat(outcome).isEqualTo("acknowledged");
        awaitClosed(port.join());
    }

    /** Whoever makes a connector for its settings is asked while the port is open. */
    @Test
    void nobodyElseCanConnectToItsPort() throws Exception {
        CompletableFuture<Throwable> refused = new CompletableFuture<>();
        String outcome = make(settings -> {
            refused.complete(catchThrowable(() -> new Socket("127.0.0.2", port(settings)).close()));
            return settings;
        });
        assertThat(outcome).isEqualTo("acknowledged");
        assertThat(refused.join()).isInstanceOf(ConnectException.class);
    }

    @Test
    void itAsksForLeaveToGoToItsPort() throws Exception {
        CompletableFuture<String> rules = new CompletableFuture<>();
        make(settings -> {
            rules.complete(settings.rules().toString().replace("" + port(settings), "PORT"));
            return settings;
        });
        assertThat(rules.join()).isEqualTo("public addresses and 127.0.0.1, ports PORT");
    }

    /** Else the end of the target would wait for it. */
    @Test
    void itEndsAndLeavesNoPortOpenThoughItReachesNobody() throws Exception {
        CompletableFuture<Integer> port = new CompletableFuture<>();
        String outcome = make(settings -> {
            port.complete(port(settings));
            return HttpSettings.read(Map.of());
        });
        assertThat(outcome).endsWith("is not known, or no destination that is allowed");
        awaitClosed(port.join());
    }

    /** A server of Vert.x says that it is closed a moment before its port is. */
    private static void awaitClosed(int port) {
        Patience.until(
                "nobody listens at port " + port,
                () -> catchThrowable(() -> new Socket(InetAddress.getLoopbackAddress(), port).close())
                        instanceof ConnectException);
    }

    /** How it ends with other settings. */
    private String make(UnaryOperator<HttpSettings> used) throws Exception {
        Context context = vertx.getOrCreateContext();
        CompletableFuture<String> outcome = new CompletableFuture<>();
        context.runOnContext(go -> FirstCallback.make(
                        vertx, settings -> connector(context, used.apply(settings)), Clock.system())
                .onComplete(outcome::complete, outcome::completeExceptionally));
        return outcome.get(30, TimeUnit.SECONDS);
    }

    private static int port(HttpSettings settings) {
        return Integer.parseInt(settings.rules().toString().replaceAll(".*ports? ", ""));
    }

    private Connector connector(Context context, HttpSettings settings) {
        NameServers noServers = new NameServers(settings.nameServers(), 1_000, () -> {
            throw new AssertionError("nothing is looked up");
        });
        return new Connector(
                vertx.httpClientBuilder().with(new HttpClientOptions()),
                new NameLookups(vertx, context, noServers, 0, 1),
                settings,
                1);
    }

    /** What is cut off in the middle says so with a stack trace, beside the reason of a start that was refused. */
    @Test
    void aTargetThatIsClosedAtOnceSaysNothing() {
        try (LoggedEvents logged = new LoggedEvents()) {
            for (int i = 0; i < 50; i++) {
                Target target = new HttpTargetKind().open(new TargetOptions(Clock.system(), 1, Map.of()));
                target.prepare();
                target.close();
            }
            assertThat(logged.messages(Level.WARN)).isEmpty();
            assertThat(logged.messages(Level.ERROR)).isEmpty();
        }
    }

    /** Nobody but that callback asks what time it is: no timer is there. */
    @Test
    void itIsMadeWhenTheTargetIsPrepared() throws Exception {
        CompletableFuture<Boolean> asked = new CompletableFuture<>();
        Clock system = Clock.system();
        Clock clock = new Clock() {
            @Override
            public Instant now() {
                asked.complete(true);
                return system.now();
            }

            @Override
            public long monoNanos() {
                return system.monoNanos();
            }
        };
        Target target = new HttpTargetKind().open(new TargetOptions(clock, 1, Map.of()));
        try {
            target.prepare();
            assertThat(asked.get(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            target.close();
        }
    }
}
