package io.tickwheel.server.targets;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Clock;
import io.tickwheel.server.ReceiversHere;
import io.vertx.core.Vertx;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class HttpTargetTest {

    @ParameterizedTest
    @CsvSource({
        "POST http://Shop.Example/a?b=c, http://shop.example:80",
        "PUT http://shop.example:80/, http://shop.example:80",
        "POST https://shop.example/, https://shop.example:443",
        "POST http://[2001:DB8::1]:8080/x, http://[2001:db8::1]:8080",
        "nothing, nothing"
    })
    void timersThatGoToOneHostAndPortWaitTogether(String address, String route) {
        Vertx vertx = Vertx.vertx();
        try {
            HttpTarget target = new HttpTarget(
                    vertx, vertx.getOrCreateContext(), Clock.system(), HttpSettings.read(ReceiversHere.OPTIONS), 1);
            assertThat(new RunningAttempts().of(target).route(address)).isEqualTo(route);
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }

    private static Set<Thread> lookingUp() {
        Set<Thread> threads = new HashSet<>(Thread.getAllStackTraces().keySet());
        threads.removeIf(thread -> !thread.getName().startsWith("tickwheel-names"));
        return threads;
    }

    @Test
    void whoLooksNamesUpEndsWithTheTarget() throws Exception {
        Set<Thread> before = lookingUp();
        Vertx vertx = Vertx.vertx();
        try (LoopbackNameServer names = new LoopbackNameServer((name, asked) -> List.of())) {
            HttpSettings settings = HttpSettings.read(Map.of("nameServers", names.address()));
            HttpTarget target = new HttpTarget(vertx, vertx.getOrCreateContext(), Clock.system(), settings, 1);
            assertThat(SentCallback.to("http://shop.test/", new byte[0], target).get(20, TimeUnit.SECONDS))
                    .startsWith("unreachable: ");
            Set<Thread> begun = lookingUp();
            begun.removeAll(before);
            assertThat(begun).isNotEmpty();
            target.close();
            for (Thread thread : begun) {
                thread.join(60_000);
                assertThat(thread.isAlive()).isFalse();
            }
        }
    }
}
