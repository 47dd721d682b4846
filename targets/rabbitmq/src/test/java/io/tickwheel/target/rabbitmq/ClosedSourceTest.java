package io.tickwheel.target.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.TargetOptions;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.target.message.OptionReader;
import io.tickwheel.testkit.MemoryTimerStore;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A source that is closed while its connection comes up, with connections to nobody. */
final class ClosedSourceTest {

    private final ConnectionToNobody late = new ConnectionToNobody();

    /** Closes a source in the middle of its first connection, and waits until that is left. */
    private void closeWhileItConnects(Connection comesUp) {
        CompletableFuture<RabbitmqSource> opened = new CompletableFuture<>();
        ConnectionFactory factory = new ConnectionFactory() {
            @Override
            public Connection newConnection() {
                opened.join().close();
                return comesUp;
            }
        };
        SourceSettings settings = SourceSettings.read(new OptionReader(new TargetOptions(Clock.system(), 1, Map.of())));
        try (Tickwheel timers = Tickwheel.open(new MemoryTimerStore())) {
            RabbitmqSource source = new RabbitmqSource(factory, settings, Clock.system(), () -> 1, timers);
            source.start();
            opened.complete(source);
            assertThat(late.aborted()).succeedsWithin(Duration.ofSeconds(30));
            assertThat(source.unready()).hasValue("is closed");
        }
    }

    @Test
    void connectionThatComesUpLaterIsClosed() {
        closeWhileItConnects(late.connection());
    }

    @Test
    void connectionThatComesUpLaterIsClosedAlsoWhenNothingCanBeMadeThere() {
        closeWhileItConnects((Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("createChannel")) {
                        throw new IOException("refused");
                    }
                    return method.invoke(late.connection(), arguments);
                }));
    }
}
