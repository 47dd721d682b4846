package io.tickwheel.server.targets;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Clock;
import io.tickwheel.server.ReceiversHere;
import io.vertx.core.Vertx;
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
}
