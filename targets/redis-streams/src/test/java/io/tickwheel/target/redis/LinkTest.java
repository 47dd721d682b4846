package io.tickwheel.target.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.TargetOptions;
import io.tickwheel.redis.testkit.RedisServer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class LinkTest {

    private static Session session(Link link) throws Exception {
        CompletableFuture<Session> way = new CompletableFuture<>();
        link.use(way::complete, reason -> way.completeExceptionally(new IllegalStateException(reason)));
        return way.get(30, TimeUnit.SECONDS);
    }

    /** Each attempt on it tells when it ends, and so does the driver; the next one is not theirs to end. */
    @Test
    void sessionThatEndsTwiceIsReplacedOnce() throws Exception {
        try (RedisServer server = RedisServer.builder().start()) {
            Map<String, String> settings = Map.of("uri", "redis://127.0.0.1:" + server.port());
            ServerOptions options = ServerOptions.read(new TargetOptions(Clock.system(), 1, settings));
            try (Link link = new Link(new Dialer(options))) {
                Session first = session(link);
                assertThat(session(link)).isSameAs(first);
                link.lost(first);
                Session second = session(link);
                assertThat(second).isNotSameAs(first);
                link.lost(first);
                assertThat(session(link)).isSameAs(second);
                assertThat(second.connection().isOpen()).isTrue();
            }
        }
    }
}
