package io.tickwheel.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.server.RunningServer.Reply;
import io.tickwheel.server.wire.TimeText;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Several servers on one Redis: each takes every call, and each timer is delivered by one. */
final class RedisNodesTest {

    private static final String HOUR = "{\"delay\":\"1h\"}";
    private static final int TIMERS = 40;

    private static RedisServer redis;

    private final String namespace = RedisNodes.freshNamespace();

    @BeforeAll
    static void start() {
        redis = RedisServer.builder().start();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    private RunningServer node() {
        return RedisNodes.startCalm(redis, namespace);
    }

    @Test
    void everyNodeTakesEveryCall() {
        try (RunningServer a = node();
                RunningServer b = node()) {
            for (int i = 0; i < TIMERS; i++) {
                String key = "k" + i;
                Reply created = a.put("calls", key, HOUR);
                assertThat(created.status()).as(created.body()).isEqualTo(201);
                assertThat(created.field("durability")).isEqualTo("memory");
                Reply found = b.get("calls", key);
                assertThat(found.field("id")).isEqualTo(created.field("id"));
                Reply replaced = b.put("calls", key, HOUR);
                assertThat(replaced.field("version")).isEqualTo("2");
                assertThat(replaced.field("previous")).isEqualTo("PENDING");
                assertThat(a.get("calls", key).field("id")).isEqualTo(replaced.field("id"));
            }
            assertThat(b.live()).isEqualTo(TIMERS);
            assertThat(a.get("/v1/queues/calls/timers?limit=1000").body().split("\"key\":", -1))
                    .hasSize(TIMERS + 1);
            for (int i = 0; i < TIMERS; i++) {
                assertThat(b.delete("calls", "k" + i).field("outcome")).isEqualTo("CANCELLED");
                assertThat(a.delete("calls", "k" + i).field("outcome")).isEqualTo("CANCELLED");
            }
            assertThat(a.live()).isZero();
            assertThat(b.get("calls", "never").status()).isEqualTo(404);
        }
    }

    @Test
    void batchAndIdempotencyKeyGoToAnyNode() {
        try (RunningServer a = node();
                RunningServer b = node()) {
            String lines = "{\"key\":\"x\",\"delay\":\"1h\"}\n{\"delay\":\"1h\"}\n";
            assertThat(a.batch("calls", lines).body())
                    .contains("\"line\":1,\"status\":201", "\"line\":2,\"status\":201");
            assertThat(b.batch("calls", "{\"cancel\":\"x\"}\n").body()).contains("\"outcome\":\"CANCELLED\"");
            Reply first = a.post("calls", HOUR, "Idempotency-Key", "once");
            Reply again = b.post("calls", HOUR, "Idempotency-Key", "once");
            assertThat(again.body()).isEqualTo(first.body());
            assertThat(b.post("calls", "{\"delay\":\"2h\"}", "Idempotency-Key", "once")
                            .field("code"))
                    .isEqualTo("idempotency_key_reused");
        }
    }

    @Test
    void whatIsSetOfAQueueIsKnownToAllNodes() throws InterruptedException {
        try (Receiver receiver = new Receiver();
                RunningServer a = node();
                RunningServer b = node()) {
            String target = "{\"target\":{\"url\":\"" + receiver.url("/") + "%s\"}}";
            a.send("PUT", "/v1/queues/set", RunningServer.JSON, target.formatted("set"));
            a.send("PUT", "/v1/queues/beside", RunningServer.JSON, target.formatted("beside"));
            Reply paused = a.send("POST", "/v1/queues/set/pause", null, null);
            assertThat(b.get("/v1/queues/set").body()).isEqualTo(paused.body());
            assertThat(Patience.look(
                                    () -> b.get("/v1/queues"),
                                    list -> list.body().contains("\"paused\":true"))
                            .body())
                    .contains("{\"name\":\"set\",\"pending\":0,\"claimed\":0,\"dead\":0,\"paused\":true}");
            // Whoever owns them, those that are due later come, and these do not.
            for (int i = 0; i < TIMERS; i++) {
                b.put("set", "k" + i, "{\"delay\":\"0s\"}");
            }
            for (int i = 0; i < TIMERS; i++) {
                a.put("beside", "k" + i, "{\"delay\":\"10ms\"}");
            }
            for (int i = 0; i < TIMERS; i++) {
                assertThat(receiver.next().uri()).isEqualTo("/beside");
            }
            String seen = paused.etag();
            assertThat(b.send("POST", "/v1/queues/set/resume", null, null, "If-Match", seen)
                            .status())
                    .isEqualTo(200);
            assertThat(a.send("POST", "/v1/queues/set/pause", null, null, "If-Match", seen)
                            .field("code"))
                    .isEqualTo("queue_changed");
            for (int i = 0; i < TIMERS; i++) {
                assertThat(receiver.next().uri()).isEqualTo("/set");
            }
            try (RunningServer c = node()) {
                assertThat(c.get("/v1/queues/set").body()).contains("\"settings\":{\"target\":{");
            }
        }
    }

    @Test
    void bulkRunIsShownAndStoppedAtAnyNodeAndGoesOnAtAnother() {
        RunningServer a = node();
        try (RunningServer b = node()) {
            for (int i = 0; i < TIMERS; i++) {
                a.put("stopped" + i % 4, "k" + i, HOUR);
                a.put("moved", "k" + i, HOUR);
            }
            List<String> stopped = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                stopped.add(a.send("POST", "/v1/queues/stopped" + i + "/timers:cancel?perSecond=1", null, null)
                        .field("id"));
            }
            String moved = a.send("POST", "/v1/queues/moved/timers:cancel?perSecond=10", null, null)
                    .field("id");
            for (String id : stopped) {
                assertThat(b.get("/v1/bulk/" + id).field("state")).isEqualTo("RUNNING");
                assertThat(b.send("DELETE", "/v1/bulk/" + id, null, null).status())
                        .isEqualTo(202);
            }
            for (String id : stopped) {
                for (RunningServer node : List.of(a, b)) {
                    assertThat(Patience.look(
                                            () -> node.get("/v1/bulk/" + id),
                                            run -> !run.field("state").equals("RUNNING"))
                                    .field("state"))
                            .isEqualTo("STOPPED");
                }
            }
            a.close();
            Reply ended = Patience.look(
                    () -> b.get("/v1/bulk/" + moved), run -> !run.field("state").equals("RUNNING"));
            assertThat(ended.field("state")).isEqualTo("DONE");
            assertThat(ended.field("changed")).isEqualTo("" + TIMERS);
            assertThat(b.get("/v1/queues/moved/timers").body()).isEqualTo("{\"timers\":[]}");
        }
    }

    /** None of them takes back what another was answered, and none is lost. */
    @Test
    void touchesAndEventsOfSeveralNodesOnOneTimerTakeEffectOneAfterTheOther() throws InterruptedException {
        try (RunningServer a = node();
                RunningServer b = node()) {
            a.put("same", "touched", "{\"delay\":\"1h\",\"touchable\":true}");
            a.put("same", "put", event("1h", 0));
            Reply made = a.get("/v1/queues/same/timers/put?content=true");
            String latest = shifted(made.field("firstScheduledAt"), Duration.ofHours(2));
            List<Reply> touches = new ArrayList<>();
            List<Reply> events = new ArrayList<>();
            Thread other = new Thread(() -> drive(b, touches, events));
            other.start();
            drive(a, touches, events);
            other.join();
            assertThat(touches)
                    .allSatisfy(
                            reply -> assertThat(reply.status()).as(reply.body()).isEqualTo(200));
            assertThat(b.get("same", "touched").field("dueAt"))
                    .isEqualTo(touches.stream()
                            .map(reply -> reply.field("dueAt"))
                            .max(String::compareTo)
                            .orElseThrow());
            assertThat(events)
                    .allSatisfy(reply -> assertThat(reply.field("outcome")).isEqualTo("REPLACED"))
                    .allSatisfy(reply -> assertThat(reply.field("dueAt")).isEqualTo(latest))
                    .extracting(reply -> reply.field("version"))
                    .doesNotHaveDuplicates();
            assertThat(a.get("same", "put").field("version")).isEqualTo(String.valueOf(1 + 2 * TIMERS));
        }
    }

    private static void drive(RunningServer node, List<Reply> touches, List<Reply> events) {
        for (int i = 0; i < TIMERS; i++) {
            Reply touched = node.send("POST", RunningServer.timer("same", "touched") + "/touch", null, null);
            Reply put = node.put("same", "put", event("3h", i));
            synchronized (touches) {
                touches.add(touched);
                events.add(put);
            }
        }
    }

    private static String event(String delay, int payload) {
        return "{\"delay\":\"" + delay + "\",\"onConflict\":\"latest\",\"maxWait\":\"2h\",\"payload\":" + payload + "}";
    }

    private static String shifted(String time, Duration by) {
        return TimeText.format(Instant.parse(time).plus(by).toEpochMilli());
    }

    @Test
    void timerIsDeliveredOnce() throws InterruptedException {
        try (RunningServer a = node();
                RunningServer b = node();
                Receiver receiver = new Receiver()) {
            Set<String> ids = new TreeSet<>();
            for (int i = 0; i < TIMERS; i++) {
                RunningServer node = i % 2 == 0 ? a : b;
                ids.add(node.put("once", "k" + i, timer("300ms", receiver)).field("id"));
            }
            assertThat(ids(receiver, TIMERS)).isEqualTo(ids);
            for (int i = 0; i < TIMERS; i++) {
                Reply done =
                        a.await("once", "k" + i, reply -> reply.field("state").equals("COMPLETED"));
                assertThat(done.field("attempts")).isEqualTo("1");
            }
            assertThat((List<?>) redis.command("KEYS", namespace + ":*:f"))
                    .as("claims that nobody has ended, which would be made again")
                    .isEmpty();
            assertThat(receiver.waiting()).isZero();
        }
    }

    @Test
    void timersOfNodeThatClosesAreDeliveredByTheOther() throws InterruptedException {
        try (RunningServer b = node();
                Receiver receiver = new Receiver()) {
            Set<String> ids = new TreeSet<>();
            try (RunningServer a = node()) {
                for (int i = 0; i < TIMERS; i++) {
                    ids.add(a.put("left", "k" + i, timer("1500ms", receiver)).field("id"));
                }
            }
            assertThat(b.get("left", "k0").status()).isEqualTo(200);
            assertThat(ids(receiver, TIMERS)).isEqualTo(ids);
            assertThat(receiver.waiting()).isZero();
        }
    }

    @Test
    void timersWaitWhileThereIsNoNode() throws InterruptedException {
        try (Receiver receiver = new Receiver()) {
            Set<String> ids = new TreeSet<>();
            try (RunningServer a = node()) {
                for (int i = 0; i < TIMERS; i++) {
                    ids.add(a.put("down", "k" + i, timer("1s", receiver)).field("id"));
                }
            }
            LockSupport.parkNanos(Duration.ofMillis(1_200).toNanos());
            try (RunningServer b = node()) {
                assertThat(ids(receiver, TIMERS)).isEqualTo(ids);
                assertThat(b.await("down", "k0", reply -> reply.field("state").equals("COMPLETED"))
                                .field("attempts"))
                        .isEqualTo("1");
            }
        }
    }

    private static String timer(String delay, Receiver receiver) {
        return "{\"delay\":\"" + delay + "\",\"target\":{\"url\":\"" + receiver.url("/due") + "\"}}";
    }

    /** Of so many callbacks; the same id twice is an error. */
    private static Set<String> ids(Receiver receiver, int callbacks) throws InterruptedException {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < callbacks; i++) {
            ids.add(receiver.next().headers().get("webhook-id"));
        }
        assertThat(ids).doesNotHaveDuplicates();
        return new TreeSet<>(ids);
    }
}
