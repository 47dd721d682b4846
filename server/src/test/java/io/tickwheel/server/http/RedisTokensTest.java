package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.server.LoggedEvents;
import io.tickwheel.server.RedisNodes;
import io.tickwheel.server.RunningServer;
import io.tickwheel.server.config.EdgeConfig;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tokens on all nodes of one Redis. */
final class RedisTokensTest {

    private static final int REVOKED = 2;

    @Test
    void whatOneNodeMakesAndRevokesTheOthersKnow() throws IOException {
        try (RedisServer redis = RedisServer.builder().start();
                RunningServer first = node(redis);
                RunningServer second = node(redis)) {
            Tokened one = new Tokened(first);
            Tokened other = new Tokened(second);
            for (int i = 0; i < REVOKED; i++) {
                Tokened.Made made = one.make("\"scopes\":[\"read\"]");
                int known = Patience.look(() -> status(other, made), status -> status == 200);
                assertThat(known).isEqualTo(200);
                assertThat(one.admin("DELETE", "/v1/tokens/" + made.id(), null).status())
                        .isEqualTo(200);
                assertThat(status(one, made)).isEqualTo(401);
                int last = Patience.look(() -> status(other, made), status -> status == 401);
                assertThat(last).isEqualTo(401);
            }
        }
    }

    @Test
    void nodesThatMakeTokensAtOnceLoseNone() throws IOException {
        try (RedisServer redis = RedisServer.builder().start();
                RunningServer first = node(redis);
                RunningServer second = node(redis)) {
            List<CompletableFuture<String>> made = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                Tokened node = new Tokened(i % 2 == 0 ? first : second);
                made.add(CompletableFuture.supplyAsync(
                        () -> node.make("\"scopes\":[\"read\"]").id()));
            }
            Set<String> ids = new TreeSet<>();
            made.forEach(each -> ids.add(each.join()));
            assertThat(ids).hasSize(20);
            for (RunningServer node : List.of(first, second)) {
                String listed = Patience.look(
                        () -> new Tokened(node).admin("GET", "/v1/tokens", null).body(),
                        body -> ids.stream().allMatch(body::contains));
                assertThat(listed).contains(ids);
            }
        }
    }

    @Test
    void aNodeThatAsksForNoneIsClosedOnceOthersMakeSome() throws IOException {
        EdgeConfig insecure = new EdgeConfig(null, false, null, false, true, null);
        try (RedisServer redis = RedisServer.builder().start();
                LoggedEvents logged = new LoggedEvents();
                RunningServer open = new RunningServer(RedisNodes.config(redis, "tokens"));
                RunningServer wanted =
                        new RunningServer(RedisNodes.config(redis, "tokens").withEdge(insecure));
                RunningServer second = node(redis)) {
            assertThat(open.get("/v1/queues").status()).isEqualTo(200);
            Tokened.Made made = new Tokened(second).make("\"scopes\":[\"read\"]");

            RunningServer.Reply refused = Patience.look(() -> open.get("/v1/queues"), reply -> reply.status() != 200);
            assertRefused(refused);
            assertRefused(open.get("/readyz"));
            assertRefused(open.get("/metrics"));
            assertRefused(open.put("q", "k", "{\"delay\":\"1h\"}"));
            assertThat(open.get("/livez").status()).isEqualTo(200);
            assertThat(wanted.get("/v1/queues").status()).isEqualTo(200);
            assertThat(wanted.get("/readyz").status()).isEqualTo(200);

            assertThat(new Tokened(second)
                            .admin("DELETE", "/v1/tokens/" + made.id(), null)
                            .status())
                    .isEqualTo(200);
            RunningServer.Reply ready = Patience.look(() -> open.get("/readyz"), reply -> reply.status() == 200);
            assertThat(ready.status()).isEqualTo(200);
            assertThat(open.get("q", "k").status()).isEqualTo(404);
            new Tokened(second).make("\"scopes\":[\"read\"]");
            assertRefused(Patience.look(() -> open.get("/readyz"), reply -> reply.status() != 200));
            assertThat(logged.messages(Level.ERROR)).singleElement().asString().contains("access.admin");
        }
    }

    private static void assertRefused(RunningServer.Reply reply) {
        assertThat(reply.status()).isEqualTo(503);
        assertThat(reply.field("code")).isEqualTo("access_not_set");
        assertThat(reply.field("detail")).contains("access.admin");
    }

    private static int status(Tokened api, Tokened.Made made) {
        return api.call(made.text(), "GET", "/v1/queues", null).status();
    }

    private static RunningServer node(RedisServer redis) {
        return new RunningServer(Tokened.asking(RedisNodes.config(redis, "tokens")));
    }
}
