package io.tickwheel.server.targets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Target;
import io.tickwheel.engine.TargetOptions;
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
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class FirstCallbackTest {

    @Test
    void itReachesThisProcessAndLeavesNoPortOpen() throws Exception {
        Vertx vertx = Vertx.vertx();
        try {
            Context context = vertx.getOrCreateContext();
            AtomicReference<HttpSettings> used = new AtomicReference<>();
            CompletableFuture<String> outcome = new CompletableFuture<>();
            context.runOnContext(go -> FirstCallback.make(
                            vertx,
                            settings -> {
                                used.set(settings);
                                return connector(vertx, context, settings);
                            },
                            Clock.system())
                    .onComplete(outcome::complete, outcome::completeExceptionally));
            assertThat(outcome.get(30, TimeUnit.SECONDS)).isEqualTo("acknowledged");
            int port = Integer.parseInt(used.get().rules().toString().replaceAll(".*ports? ", ""));
            assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close())
                    .isInstanceOf(ConnectException.class);
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }

    private static Connector connector(Vertx vertx, Context context, HttpSettings settings) {
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
