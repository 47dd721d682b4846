package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.server.RunningServer;
import io.tickwheel.server.SteppedClock;
import io.tickwheel.server.access.Scope;
import io.tickwheel.server.config.ServerConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** All calls, by all that may be wrong with a token. */
final class AccessMatrixTest {

    @TempDir
    private static Path directory;

    private static final SteppedClock CLOCK = new SteppedClock();
    private static final Map<Scope, String> TOKENS = new EnumMap<>(Scope.class);

    private static Tokened api;
    private static String expired;
    private static String revoked;
    private static String ofOrders;
    private static String ofAllButAdmin;

    /** A call and the scopes of which its caller must have one. */
    record Call(Route.Resource resource, String method, String path, Set<Scope> needed) {}

    @BeforeAll
    static void start() {
        api = new Tokened(new RunningServer(Tokened.asking(ServerConfig.of("127.0.0.1", 0, directory)), CLOCK));
        for (Scope scope : Scope.values()) {
            TOKENS.put(scope, api.make("\"scopes\":[\"" + scope.word() + "\"]").text());
        }
        Instant soon = CLOCK.now().plusSeconds(1_800);
        expired = api.make("\"scopes\":[\"admin\"],\"expiresAt\":\"" + soon + "\"")
                .text();
        Tokened.Made gone = api.make("\"scopes\":[\"admin\"]");
        revoked = gone.text();
        assertThat(api.call(revoked, "GET", "/v1/queues", null).status()).isEqualTo(200);
        assertThat(api.call(expired, "GET", "/v1/queues", null).status()).isEqualTo(200);
        assertThat(api.admin("DELETE", "/v1/tokens/" + gone.id(), null).status())
                .isEqualTo(200);
        CLOCK.step(Duration.ofHours(1));
        ofOrders =
                api.make("\"scopes\":[\"admin\"],\"queuePrefix\":\"orders-\"").text();
        ofAllButAdmin = api.make("\"scopes\":[\"schedule\",\"cancel\",\"read\",\"pull\"]")
                .text();
    }

    @AfterAll
    static void stop() {
        api.server().close();
    }

    static List<Call> calls() {
        List<Call> calls = new ArrayList<>();
        for (Route.Resource resource : Route.Resource.values()) {
            for (String method : resource.allow().split(", ", -1)) {
                if (!method.equals("OPTIONS") && !method.equals("HEAD")) {
                    calls.add(new Call(resource, method, path(resource), resource.needed(method)));
                }
            }
        }
        return calls;
    }

    static Stream<Call> guarded() {
        return calls().stream().filter(call -> !call.needed().isEmpty());
    }

    /** No default: who adds a resource is asked for its path. */
    private static String path(Route.Resource resource) {
        return switch (resource) {
            case LIVEZ -> "/livez";
            case READYZ -> "/readyz";
            case OPEN_API -> "/openapi.json";
            case METRICS -> "/metrics";
            case TOKENS -> "/v1/tokens";
            case TOKEN -> "/v1/tokens/0000000000000000";
            case QUEUES -> "/v1/queues";
            case QUEUE -> "/v1/queues/other";
            case PAUSE -> "/v1/queues/other/pause";
            case RESUME -> "/v1/queues/other/resume";
            case TIMERS -> "/v1/queues/other/timers";
            case LOAD -> "/v1/queues/other/load";
            case BATCH -> "/v1/queues/other/timers:batch";
            case DEAD -> "/v1/queues/other/dead";
            case CANCEL_ALL -> "/v1/queues/other/timers:cancel";
            case REDRIVE_ALL -> "/v1/queues/other/timers:redrive";
            case PURGE_ALL -> "/v1/queues/other/timers:purge";
            case BULK_RUNS -> "/v1/bulk";
            case BULK_RUN -> "/v1/bulk/none";
            case TIMER -> "/v1/queues/other/timers/k";
            case PLAN_RUN -> "/v1/queues/other/timers/k/runs/1";
            case RESCHEDULE -> "/v1/queues/other/timers/k/reschedule";
            case RUN -> "/v1/queues/other/timers/k/run";
            case TOUCH -> "/v1/queues/other/timers/k/touch";
            case REDRIVE -> "/v1/queues/other/timers/k/redrive";
            case PURGE -> "/v1/queues/other/timers/k/purge";
            case LEASES -> "/v1/queues/other/leases";
            case ACK -> "/v1/leases/none/ack";
            case NACK -> "/v1/leases/none/nack";
            case EXTEND -> "/v1/leases/none/extend";
            case BURY -> "/v1/leases/none/bury";
            case ACK_MANY -> "/v1/leases:ack";
            case NACK_MANY -> "/v1/leases:nack";
            case EXTEND_MANY -> "/v1/leases:extend";
            case BURY_MANY -> "/v1/leases:bury";
            case PAUSE_PLAN -> "/v1/queues/other/timers/k/pause";
            case RESUME_PLAN -> "/v1/queues/other/timers/k/resume";
            case PREVIEW -> "/v1/queues/other/timers/k/preview";
            case RUNS -> "/v1/queues/other/timers/k/runs";
        };
    }

    private static RunningServer.Reply call(String token, Call call) {
        CLOCK.step(Duration.ofMinutes(1));
        return api.call(token, call.method(), call.path(), null);
    }

    @Test
    void onlyHealthAndTheDescriptionOfTheApiAreOpen() {
        assertThat(calls().stream().filter(call -> call.needed().isEmpty()).map(Call::path))
                .containsExactly("/livez", "/readyz", "/openapi.json");
        assertThat(api.call(null, "GET", "/livez", null).status()).isEqualTo(200);
        assertThat(api.call(null, "GET", "/readyz", null).status()).isEqualTo(200);
        assertThat(api.call(null, "GET", "/openapi.json", null).status()).isEqualTo(200);
    }

    @ParameterizedTest
    @MethodSource("guarded")
    void whoBringsNoGoodTokenIsNobody(Call call) {
        String good = TOKENS.get(Scope.ADMIN);
        String wrongAtTheEnd = good.substring(0, good.length() - 1) + (good.endsWith("A") ? "E" : "A");
        String unknown = "tw_0000000000000000" + good.substring(good.lastIndexOf('_', 20));
        for (String token : new String[] {null, "", "x", wrongAtTheEnd, unknown, good + "A", expired, revoked}) {
            RunningServer.Reply reply = call(token, call);
            assertThat(reply.status()).as("with %s", token).isEqualTo(401);
            assertThat(reply.body()).contains("\"code\":\"unauthenticated\"", "\"applied\":false");
        }
    }

    @ParameterizedTest
    @MethodSource("guarded")
    void aTokenOfAnotherScopeIsNotForTheCall(Call call) {
        Set<Scope> others = EnumSet.complementOf(EnumSet.copyOf(call.needed()));
        others.remove(Scope.ADMIN);
        for (Scope other : others) {
            RunningServer.Reply reply = call(TOKENS.get(other), call);
            assertThat(reply.status()).as("with scope %s", other).isEqualTo(403);
            assertThat(reply.body()).contains("\"code\":\"forbidden\"", "\"applied\":false");
        }
        for (Scope scope : call.needed()) {
            assertThat(call(TOKENS.get(scope), call).status())
                    .as("with scope %s", scope)
                    .isNotIn(401, 403, 429);
        }
        assertThat(call(TOKENS.get(Scope.ADMIN), call).status()).isNotIn(401, 403, 429);
        assertThat(call(ofAllButAdmin, call).status() == 403)
                .isEqualTo(call.needed().equals(Set.of(Scope.ADMIN)));
    }

    @ParameterizedTest
    @MethodSource("guarded")
    void aTokenOfOtherQueuesDoesNotReachTheQueue(Call call) {
        RunningServer.Reply reply = call(ofOrders, call);
        boolean isOfQueue = call.path().startsWith("/v1/queues/");
        boolean isOfAll = Set.of(Route.Resource.METRICS, Route.Resource.TOKENS, Route.Resource.TOKEN)
                .contains(call.resource());
        if (isOfQueue || isOfAll) {
            assertThat(reply.status()).isEqualTo(403);
            assertThat(reply.body()).contains("\"code\":\"forbidden\"");
        } else {
            // What these show and change is in AccessTest.
            assertThat(reply.status()).isNotIn(401, 403);
        }
    }

    @Test
    void theMatrixIsWhole() {
        assertThat(calls().stream().map(Call::resource).collect(Collectors.toSet()))
                .containsExactlyInAnyOrder(Route.Resource.values());
        assertThat(guarded().count()).isGreaterThan(40);
    }
}
