package io.tickwheel.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.WaitingLane;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Text;
import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.Link;
import io.tickwheel.store.redis.link.PassingLink;
import io.tickwheel.store.redis.link.Reply;
import io.tickwheel.store.redis.link.Script;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What is asked of the server to load by lanes, and what is not; driven turn by turn. */
final class LoadingByLanesTest {

    private static final long NOW_MS = DrivenNode.NOW_MS;
    private static final Lane WELL = new Lane("well", Lane.QUEUE_ROUTE);
    private static final Lane STUCK = new Lane("stuck", 7);
    private static final int MANY = 100_000;
    private static final AtomicLong NAMESPACES = new AtomicLong();

    private static RedisServer server;

    private final String namespace = "lanes" + NAMESPACES.incrementAndGet();
    private TendSpy spy;

    @BeforeAll
    static void start() {
        server = RedisServer.builder().start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @AfterEach
    void verify() {
        assertThat(RedisVerification.verify(address(), namespace).findings()).isEmpty();
    }

    private static RedisAddress address() {
        return RedisAddress.single("redis://127.0.0.1:" + server.port());
    }

    /** Counts what comes of tending to partitions, and can lead to another server. */
    private static final class TendSpy extends PassingLink {

        private static final Script TEND = Script.named("tend");
        private static final int LOOKED_AT = 10;
        private static final int MEMBERS_AT = 11;

        int calls;
        int brought;
        long looked;
        long moved;

        TendSpy(Link link) {
            super(link);
        }

        @Override
        public void send(Call call) {
            Script script = call.script;
            if (script == null || !script.sha1().equals(TEND.sha1())) {
                super.send(call);
                return;
            }
            calls++;
            super.send(new Call(call.slot, script, call.keys, call.arguments, call.level) {
                @Override
                public void answered(Reply reply) {
                    if (reply.value() instanceof List<?> answer && answer.size() > MEMBERS_AT) {
                        looked += (Long) answer.get(LOOKED_AT);
                        brought += ((List<?>) answer.get(MEMBERS_AT)).size();
                    }
                    call.answered(
                            new Reply(reply.outcome(), reply.value(), reply.reason(), reply.connection() + moved));
                }
            });
        }
    }

    private DrivenNode open(int partitions, int places, Set<Lane> blocked) {
        return open(partitions, places, blocked, Duration.ofMinutes(1));
    }

    private DrivenNode open(int partitions, int places, Set<Lane> blocked, Duration lease) {
        RedisOptions options = RedisOptions.defaults(address())
                .withNamespace(namespace)
                .withPartitions(partitions)
                .withNode("n")
                .withLease(lease);
        return new DrivenNode(options, DrivenNode.roomFor(places), blocked, link -> {
            spy = new TendSpy(link);
            return spy;
        });
    }

    private static void scheduleAll(DrivenNode node, Lane lane, int count, long firstMs, long stepMs) {
        for (int i = 0; i < count; i++) {
            node.schedule(lane, lane.queue() + "-" + i, firstMs + i * stepMs);
        }
        node.awaitAnswers();
    }

    private static List<Lane> stuckLanes(int count) {
        List<Lane> lanes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            lanes.add(new Lane("stuck" + i, i % 2 * 5L));
        }
        return lanes;
    }

    /** Fills a namespace of one partition: what is due at one moment is more than a call may look at. */
    private void fill(List<Lane> stuck, int each, int well) {
        try (DrivenNode node = open(1, MANY, Set.copyOf(stuck))) {
            for (Lane lane : stuck) {
                scheduleAll(node, lane, each / 2, NOW_MS - 100_000, 0);
                for (int i = 0; i < each / 2; i++) {
                    node.schedule(lane, lane.queue() + "+" + i, NOW_MS - 90_000 + i * 500L);
                }
            }
            node.blocked.add(WELL);
            scheduleAll(node, WELL, well / 2, NOW_MS - 100_000, 0);
            for (int i = 0; i < well / 2; i++) {
                node.schedule(WELL, "well+" + i, NOW_MS - 80_000 + i * 1_000L);
            }
            node.awaitAnswers();
        }
    }

    @Test
    void lanesThatCannotStartCostLittle() {
        List<Lane> stuck = stuckLanes(50);
        fill(stuck, 120, 20);
        try (DrivenNode node = open(1, 200, Set.copyOf(stuck))) {
            node.awaitLoaded();
            assertThat(node.loaded.keySet()).hasSize(20).allMatch(key -> key.startsWith("well"));
            assertThat(spy.brought).as("of 6,020: a few of each lane").isLessThan(2_000);
            assertThat(spy.looked).isBetween(6_020L, 8_000L);
            assertThat(node.calendar.waiting()).hasSize(50);
            assertThat(node.calendar.waiting())
                    .allMatch(waiting -> waiting.sinceMs() <= NOW_MS - 100_000 && waiting.sinceMs() > 0);
            int calls = spy.calls;
            for (int turn = 0; turn < 500; turn++) {
                node.turn();
            }
            assertThat(spy.calls - calls)
                    .as("calls of a node that has nothing to load")
                    .isLessThanOrEqualTo(1);
            int brought = spy.brought;
            node.resume(stuck.get(17));
            List<String> came = new ArrayList<>();
            node.await(() -> {
                node.claimAll(claimed -> {
                    came.add(claimed.view().key().queue());
                    node.calendar.finish(claimed.handle(), TimerState.COMPLETED);
                });
                return came.size() == 140;
            });
            assertThat(came).contains("well", "stuck17").hasSize(140);
            assertThat(spy.brought - brought).as("only those of the lane").isLessThan(300);
        }
    }

    @Test
    void laneThatTakesNoneDoesNotKeepTheServerBusy() {
        try (DrivenNode node = open(4, 1_024, Set.of(WELL))) {
            scheduleAll(node, WELL, 2_000, NOW_MS - 3_000_000, 1_000);
        }
        try (DrivenNode node = open(4, 1_024, Set.of())) {
            node.await(() -> node.room.taken() >= 190 && node.calendar.isQuiet());
            for (int turn = 0; turn < 300; turn++) {
                node.turn();
            }
            int calls = spy.calls;
            for (int turn = 0; turn < 300; turn++) {
                node.turn();
            }
            assertThat(spy.calls - calls).isLessThanOrEqualTo(1);
            assertThat(node.calendar.waiting()).extracting(WaitingLane::lane).containsExactly(WELL);
        }
    }

    @Test
    void oldestComeFirstOverAllPartitions() {
        int timers = 1_000;
        try (DrivenNode node = open(8, 1_024, Set.of(WELL))) {
            scheduleAll(node, WELL, timers, NOW_MS - 3_000_000, 1_000);
        }
        List<Integer> order = new ArrayList<>();
        try (DrivenNode node = open(8, 1_024, Set.of())) {
            while (order.size() < timers) {
                node.await(() -> node.loaded.size() >= Math.min(150, timers - order.size()) && node.calendar.isQuiet());
                List<PendingTimer> oldest = node.loaded.values().stream()
                        .sorted(Comparator.comparingLong(PendingTimer::attemptAtMs))
                        .limit(50)
                        .toList();
                for (PendingTimer timer : oldest) {
                    String key = timer.key().key();
                    node.calendar.claim(timer, claimed -> {
                        node.loaded.remove(key);
                        order.add(Integer.parseInt(key.substring("well-".length())));
                        node.calendar.finish(timer, TimerState.COMPLETED);
                    });
                }
                node.await(() -> oldest.stream().noneMatch(node.loaded::containsValue));
            }
        }
        for (int place = 0; place < timers; place++) {
            assertThat(order.get(place)).as("place %s", place).isBetween(place - 120, place + 120);
        }
    }

    /** More come due at once than there is room for, beside a backlog of the same lane: they do not wait for that. */
    @Test
    void freshTimersOfALaneDoNotWaitForItsBacklog() {
        int old = 1_500;
        int fresh = 900;
        try (DrivenNode node = open(4, 1_024, Set.of(WELL))) {
            scheduleAll(node, WELL, old, NOW_MS - 3_000_000, 1_000);
            for (int i = 0; i < fresh; i++) {
                node.schedule(WELL, "fresh" + i, NOW_MS + 1_000);
            }
            node.awaitAnswers();
        }
        try (DrivenNode node = open(4, 1_024, Set.of())) {
            node.await(() -> node.loaded.size() > 250 && node.calendar.isQuiet());
            assertThat(node.room.left(LoadRoom.Age.BACKLOG)).isLessThan(512);
            assertThat(node.room.left(LoadRoom.Age.FRESH)).isLessThan(768);
            node.nowMs += 1_000;
            List<String> came = new ArrayList<>();
            node.await(() -> {
                if (came.size() < fresh) {
                    // As slowly as they are taken, the backlog has its half.
                    node.nowMs = NOW_MS + 1_000 + came.size();
                }
                takeTurns(node, came);
                return came.size() == old + fresh;
            });
            int last = 0;
            for (int i = 0; i < fresh; i++) {
                last = Math.max(last, came.indexOf("fresh" + i));
            }
            assertThat(last).as("of 2,400: fresh ones and as many others").isLessThan(2 * fresh + 300);
        }
    }

    /** Claims a few, half of them fresh ones. */
    private static void takeTurns(DrivenNode node, List<String> came) {
        for (boolean isFresh : new boolean[] {true, false}) {
            node.loaded.values().stream()
                    .filter(timer -> timer.attachment() == null)
                    .filter(timer -> timer.key().key().startsWith("fresh") == isFresh)
                    .limit(10)
                    .toList()
                    .forEach(timer -> {
                        timer.attach(came);
                        String key = timer.key().key();
                        node.calendar.claim(timer, claimed -> {
                            node.loaded.remove(key);
                            came.add(key);
                            node.calendar.finish(timer, TimerState.COMPLETED);
                        });
                    });
        }
    }

    @Test
    void whatWasPassedOverIsFoundAgainOnAnotherServer() {
        try (DrivenNode node = open(4, MANY, Set.of(STUCK))) {
            scheduleAll(node, STUCK, 40, NOW_MS - 50_000, 100);
            scheduleAll(node, WELL, 40, NOW_MS - 50_000, 100);
            node.awaitLoaded();
            spy.moved += 1_000;
            // The next call of each partition finds out.
            scheduleAll(node, WELL, 40, NOW_MS - 60_000, 100);
            node.awaitLoaded();
            assertThat(node.loaded).hasSize(40);
            assertThat(node.calendar.waiting()).containsExactly(new WaitingLane(STUCK, NOW_MS - 50_000));
            node.resume(STUCK);
            node.awaitLoaded();
            assertThat(node.loaded).hasSize(80);
            assertThat(node.calendar.waiting()).isEmpty();
        }
    }

    /** The look for a lane is in the middle of a millisecond, and a timer before that place is unloaded. */
    @Test
    void whatIsUnloadedWhileItsMomentIsLoadedComesAgain() {
        int timers = 3_000;
        try (DrivenNode node = open(1, MANY, Set.of(WELL))) {
            scheduleAll(node, WELL, timers, NOW_MS - 100_000, 0);
            node.awaitLoaded();
            node.resume(WELL);
            node.await(() -> !node.loaded.isEmpty());
            assertThat(node.loaded.size()).isLessThan(timers);
            PendingTimer first = node.loaded.values().iterator().next();
            node.loaded.remove(first.key().key());
            node.calendar.unload(first);
            node.awaitLoaded();
            assertThat(node.loaded).hasSize(timers);
            assertThat(node.calendar.waiting()).isEmpty();
        }
    }

    /** All timers of a lane that could not start were cancelled, by somebody else. */
    @Test
    void laneThatHasNoTimersAnyMoreDoesNotWait() {
        try (DrivenNode node = open(2, MANY, Set.of(STUCK), Duration.ofMillis(500))) {
            scheduleAll(node, STUCK, 10, NOW_MS - 50_000, 100);
            node.awaitLoaded();
            assertThat(node.calendar.waiting()).hasSize(1);
            for (int i = 0; i < 10; i++) {
                TimerKey key = new TimerKey("stuck", "stuck-" + i);
                Cancelled cancelled = node.ask(answer -> node.calendar.cancel(key, answer));
                assertThat(cancelled.outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);
            }
            node.await(() -> node.calendar.waiting().isEmpty());
            scheduleAll(node, STUCK, 1, NOW_MS - 70_000, 1);
            assertThat(node.calendar.waiting()).containsExactly(new WaitingLane(STUCK, NOW_MS - 70_000));
            node.resume(STUCK);
            node.awaitLoaded();
            assertThat(node.loaded).hasSize(1);
        }
    }

    /** However it came to be known, a timer says how large it is. */
    @Test
    void largeTimersAreKnownToBeLarge() {
        int bytes = 200_000;
        String content = "x".repeat(bytes);
        try (DrivenNode node = open(1, MANY, Set.of())) {
            node.awaitLoaded();
            node.schedule(WELL, content.substring(0, 5_000), NOW_MS - 10);
            node.awaitAnswers();
            assertThat(onlyTimer(node).contentBytes()).as("its own").isEqualTo(5_000);
            // A claim that has run out.
            String claims = Text.string(new Layout(namespace, 1).key(0, "f"));
            node.claim(content.substring(0, 5_000));
            server.command(
                    "ZADD",
                    claims,
                    "1",
                    ((List<?>) server.command("ZRANGE", claims, "0", "-1"))
                            .get(0)
                            .toString());
        }
        try (DrivenNode node = open(1, MANY, Set.of())) {
            node.await(() -> !node.loaded.isEmpty());
            assertThat(onlyTimer(node).contentBytes()).as("of a node that died").isBetween(5_000, 6_000);
            PendingTimer timer = onlyTimer(node);
            node.claim(timer.key().key());
            node.calendar.retry(timer, NOW_MS - 5);
            node.await(() -> !node.loaded.isEmpty());
            assertThat(onlyTimer(node).contentBytes()).as("retried").isBetween(5_000, 6_000);
        }
    }

    private static PendingTimer onlyTimer(DrivenNode node) {
        assertThat(node.loaded).hasSize(1);
        return node.loaded.values().iterator().next();
    }
}
