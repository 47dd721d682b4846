package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.server.RedisNodes;
import io.tickwheel.server.RunningServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tokens on all nodes of one Redis. */
final class RedisTokensTest {

    private static final int REVOKED = 5;

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

    private static int status(Tokened api, Tokened.Made made) {
        return api.call(made.text(), "GET", "/v1/queues", null).status();
    }

    private static RunningServer node(RedisServer redis) {
        return new RunningServer(Tokened.asking(RedisNodes.config(redis, "tokens")));
    }
}
