package io.tickwheel.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.Answer;
import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.WaitingLane;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.Link;
import io.tickwheel.store.redis.link.PassingLink;
import io.tickwheel.store.redis.link.Reply;
import io.tickwheel.store.redis.link.Script;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Random courses of an owner and of another node that only writes, against a map: what is loaded is what is due soon of the lanes
 * that may start, and in the end each timer is delivered. Lanes stop and go on, timers are unloaded, replies are lost, and the
 * server is another one than before. {@code -Dtickwheel.loading.seeds=N} runs more of them.
 */
final class LoadingCoursesTest {

    private static final long START_MS = 1_700_000_000_000L;
    private static final long AHEAD_MS = 5_000;
    private static final long PATIENCE_NANOS = 60_000_000_000L;
    private static final int PARTITIONS = 3;
    private static final int LIMIT = 60;
    private static final int STEPS = 40;

    /** More than one moment has, so that calls must go on within it. */
    private static final int MOST_A_STEP = 25;

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.builder().start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void whatIsDueSoonIsLoaded() {
        for (int seed = 1; seed <= Integer.getInteger("tickwheel.loading.seeds", 2); seed++) {
            try (Course course = new Course("wide", seed, 100_000)) {
                for (int step = 0; step < STEPS; step++) {
                    course.step();
                    course.assertLoaded();
                }
                course.drain();
            }
        }
    }

    @Test
    void everyTimerComesThroughASmallRoom() {
        for (int seed = 1; seed <= Integer.getInteger("tickwheel.loading.seeds", 2); seed++) {
            try (Course course = new Course("small", seed, 64)) {
                for (int step = 0; step < STEPS; step++) {
                    course.step();
                    course.settle();
                }
                course.drain();
            }
        }
    }

    /** What the model knows of a timer. */
    private record Known(Lane lane, long dueAtMs) {}

    private static final class Course implements CalendarListener, AutoCloseable {

        private final String namespace;
        private final int seed;
        private final SplittableRandom random;
        private final LoadRoom room;
        private final Map<String, Known> pending = new TreeMap<>();
        private final Map<String, PendingTimer> loaded = new LinkedHashMap<>();
        private final Set<Lane> blocked = new HashSet<>();

        /** Loaded though their lane is blocked. */
        private final Set<String> kept = new HashSet<>();

        private final List<Lane> lanes = new ArrayList<>();
        private final RedisCalendar owner;
        private final RedisCalendar writer;
        private FaultyLink link;
        private long nowMs = START_MS;
        private int keys;
        private int answersOwed;
        private final Bell bell = new Bell();

        /** A moment at which many timers are due, over some steps. */
        private long crowdMs = START_MS;

        Course(String name, int seed, int places) {
            this.namespace = "courses-" + name + seed;
            this.seed = seed;
            this.random = new SplittableRandom(seed);
            this.room = new LoadRoom(places, places * 1_024L, 0);
            for (String queue : List.of("a", "b", "c", "dd")) {
                lanes.add(new Lane(queue, Lane.QUEUE_ROUTE));
                lanes.add(new Lane(queue, 7));
            }
            blocked.add(lanes.get(0));
            owner = open("owner", this, false);
            writer = open("writer", new Nobody(), true);
        }

        private RedisCalendar open(String node, CalendarListener listener, boolean isWriter) {
            StoreContext context = new StoreContext(
                    Runnable::run, Runnable::run, bell, random.split()::nextLong, System::nanoTime, nanos -> {});
            RedisOptions options = RedisOptions.defaults(RedisAddress.single("redis://127.0.0.1:" + server.port()))
                    .withNamespace(namespace)
                    .withPartitions(PARTITIONS)
                    .withNode(node)
                    .withLease(Duration.ofMinutes(1));
            Link opened = CalendarOpening.link(options, context);
            if (!isWriter) {
                link = new FaultyLink(opened);
            }
            return CalendarOpening.open(
                    options, context, listener, isWriter ? new AloofLink(opened) : link, Duration.ZERO);
        }

        @Override
        public boolean mayStart(Lane lane) {
            return !blocked.contains(lane);
        }

        @Override
        public LoadRoom room() {
            return room;
        }

        @Override
        public void loaded(PendingTimer timer) {
            assertThat(loaded.put(timer.key().key(), timer)).as(this::toString).isNull();
            assertThat(mayStart(timer.lane())).as(this::toString).isTrue();
        }

        @Override
        public void unloaded(PendingTimer timer) {
            assertThat(loaded.remove(timer.key().key())).as(this::toString).isSameAs(timer);
            kept.remove(timer.key().key());
        }

        @Override
        public String toString() {
            return "seed " + seed + " at " + (nowMs - START_MS) + " ms";
        }

        // ---- steps

        void step() {
            switch (random.nextInt(8)) {
                case 0 -> nowMs += random.nextInt(3_000);
                case 1 -> suspendOrResume(lanes.get(random.nextInt(lanes.size())));
                case 2 -> unloadSome();
                case 3 -> link.toAnotherServer();
                case 4 -> link.loseSome = 3;
                default -> {
                    // Only commands.
                }
            }
            int commands = random.nextInt(MOST_A_STEP);
            boolean crowd = random.nextInt(4) == 0;
            if (random.nextInt(3) == 0) {
                crowdMs = someDueMs();
            }
            for (int i = 0; i < commands; i++) {
                RedisCalendar calendar = random.nextBoolean() ? owner : writer;
                if (pending.isEmpty() || random.nextInt(4) > 0) {
                    boolean replaces = !pending.isEmpty() && random.nextInt(5) == 0;
                    schedule(calendar, replaces ? somePending() : "k" + ++keys, crowd ? crowdMs : someDueMs());
                } else {
                    cancel(calendar, somePending());
                }
                if (random.nextInt(4) == 0) {
                    turn();
                }
            }
            await(() -> answersOwed == 0);
            for (String key : List.copyOf(loaded.keySet())) {
                if (random.nextInt(6) == 0 && loaded.containsKey(key)) {
                    attempt(key);
                }
            }
        }

        private long someDueMs() {
            return nowMs
                    + switch (random.nextInt(4)) {
                        case 0 -> -random.nextInt(200_000);
                        case 1 -> -random.nextInt(1_200);
                        case 2 -> random.nextInt(5_000);
                        default -> random.nextInt(20_000);
                    };
        }

        private String somePending() {
            List<String> all = List.copyOf(pending.keySet());
            return all.get(random.nextInt(all.size()));
        }

        private void schedule(RedisCalendar calendar, String key, long dueAtMs) {
            Known known = pending.get(key);
            Lane lane = lanes.get(random.nextInt(lanes.size()));
            if (known != null && !known.lane.queue().equals(lane.queue())) {
                lane = new Lane(known.lane.queue(), lane.route());
            }
            pending.put(key, new Known(lane, dueAtMs));
            kept.remove(key);
            calendar.schedule(
                    new ScheduleCommand(
                            new TimerKey(lane.queue(), key),
                            dueAtMs,
                            new byte[3],
                            lane.route(),
                            OnConflict.REPLACE,
                            0,
                            null),
                    this.<Scheduled>owed());
            // The other one must see it.
            await(() -> answersOwed == 0);
        }

        private void cancel(RedisCalendar calendar, String key) {
            Known known = pending.remove(key);
            calendar.cancel(new TimerKey(known.lane.queue(), key), this.<Cancelled>owed());
            await(() -> answersOwed == 0);
        }

        private <T> Answer<T> owed() {
            answersOwed++;
            return new Answer<>() {
                @Override
                public void accept(T result) {
                    answersOwed--;
                }

                @Override
                public void fail(StoreException failure) {
                    throw failure;
                }
            };
        }

        private void suspendOrResume(Lane lane) {
            if (blocked.remove(lane)) {
                owner.resume(lane);
                kept.removeIf(
                        key -> loaded.containsKey(key) && loaded.get(key).lane().equals(lane));
                return;
            }
            blocked.add(lane);
            owner.suspend(lane);
            int left = random.nextInt(3);
            for (PendingTimer timer : List.copyOf(loaded.values())) {
                if (timer.lane().equals(lane)) {
                    if (left-- > 0) {
                        kept.add(timer.key().key());
                    } else {
                        unload(timer);
                    }
                }
            }
        }

        private void unloadSome() {
            for (PendingTimer timer : List.copyOf(loaded.values())) {
                if (random.nextInt(5) == 0) {
                    unload(timer);
                }
            }
        }

        private void unload(PendingTimer timer) {
            loaded.remove(timer.key().key());
            kept.remove(timer.key().key());
            owner.unload(timer);
        }

        private void attempt(String key) {
            Known known = pending.get(key);
            List<ClaimedTimer> granted = new ArrayList<>();
            PendingTimer timer = loaded.get(key);
            owner.claim(timer, claimed -> {
                loaded.remove(key);
                granted.add(claimed);
            });
            await(() -> !granted.isEmpty() || loaded.get(key) != timer);
            if (granted.isEmpty()) {
                return;
            }
            assertThat(granted.get(0).view().attemptAtMs()).as(key).isEqualTo(known.dueAtMs);
            kept.remove(key);
            switch (random.nextInt(4)) {
                case 0 -> {
                    long nextMs = someDueMs();
                    pending.put(key, new Known(known.lane, nextMs));
                    assertThat(owner.retry(timer, nextMs)).isTrue();
                }
                case 1 -> {
                    if (owner.release(timer)) {
                        loaded.put(key, timer);
                        if (blocked.contains(timer.lane())) {
                            kept.add(key);
                        }
                    }
                }
                case 2 -> {
                    long route = random.nextBoolean() ? Lane.QUEUE_ROUTE : 7;
                    pending.put(key, new Known(new Lane(known.lane.queue(), route), known.dueAtMs));
                    owner.reroute(timer, route);
                }
                default -> {
                    pending.remove(key);
                    assertThat(owner.finish(timer, TimerState.COMPLETED)).isTrue();
                }
            }
        }

        // ---- what must be so

        /** What is not there yet, and what should not be. */
        private String missing() {
            Set<String> missing = new TreeSet<>();
            Set<String> tooMany = new TreeSet<>();
            Set<String> untold = new TreeSet<>();
            Map<Lane, Long> told =
                    owner.waiting().stream().collect(Collectors.toMap(WaitingLane::lane, WaitingLane::sinceMs));
            pending.forEach((key, known) -> {
                PendingTimer timer = loaded.get(key);
                boolean isRight = timer != null
                        && timer.attemptAtMs() == known.dueAtMs
                        && timer.lane().equals(known.lane);
                if (known.dueAtMs < nowMs + AHEAD_MS && mayStart(known.lane) && !isRight) {
                    missing.add(key + " " + known);
                }
                // What the other node has ended or moved away stays until a claim finds out.
                if (isRight && !mayStart(known.lane) && !kept.contains(key)) {
                    tooMany.add(key + " " + known);
                }
                if (timer == null && known.dueAtMs < told.getOrDefault(known.lane, nowMs + 1)) {
                    untold.add(key + " " + known);
                }
            });
            boolean isLoaded = owner.loadedTo() >= nowMs + AHEAD_MS;
            return missing.isEmpty() && tooMany.isEmpty() && untold.isEmpty() && isLoaded
                    ? ""
                    : "missing " + missing + ", too many " + tooMany + ", not told to wait " + untold + ", loaded to "
                            + owner.loadedTo();
        }

        void assertLoaded() {
            settle();
            // Near inserts of the other node come with a hint.
            long sinceNanos = System.nanoTime();
            while (!missing().isEmpty()) {
                assertThat(System.nanoTime() - sinceNanos)
                        .as(() -> this + ": " + missing())
                        .isLessThan(PATIENCE_NANOS);
                turn();
            }
            assertThat(room.taken()).as(this::toString).isEqualTo(loaded.size());
        }

        void settle() {
            await(() -> owner.isQuiet() && writer.isQuiet() && answersOwed == 0);
        }

        /** Lets all lanes go on, and ends all timers. */
        void drain() {
            link.loseSome = 0;
            for (Lane lane : List.copyOf(blocked)) {
                suspendOrResume(lane);
            }
            nowMs += 60_000;
            await(() -> {
                for (PendingTimer timer : List.copyOf(loaded.values())) {
                    if (timer.attachment() == null) {
                        timer.attach(this);
                        owner.claim(timer, claimed -> {
                            String key = timer.key().key();
                            loaded.remove(key);
                            assertThat(pending.remove(key)).as(key).isNotNull();
                            owner.finish(timer, TimerState.COMPLETED);
                        });
                    }
                }
                return pending.isEmpty();
            });
            settle();
            assertThat(room.taken()).as(this::toString).isZero();
            assertThat(owner.liveCount()).as(this::toString).isZero();
        }

        // ---- turns

        private void turn() {
            owner.load(nowMs, nowMs + AHEAD_MS, LIMIT);
            owner.work(1_000);
            writer.work(1_000);
        }

        private void await(BooleanSupplier condition) {
            long sinceNanos = System.nanoTime();
            turn();
            while (!condition.getAsBoolean()) {
                if (System.nanoTime() - sinceNanos > PATIENCE_NANOS) {
                    throw new AssertionError(this + ": it did not become so; pending " + pending + ", loaded "
                            + loaded.keySet() + ", blocked " + blocked);
                }
                bell.await();
                turn();
            }
        }

        @Override
        public void close() {
            owner.close();
            writer.close();
            assertThat(RedisVerification.verify(RedisAddress.single("redis://127.0.0.1:" + server.port()), namespace)
                            .findings())
                    .as(this::toString)
                    .isEmpty();
        }
    }

    /** Of a node that loads nothing. */
    private static final class Nobody implements CalendarListener {

        private final LoadRoom room = new LoadRoom(1, 1, 0);

        @Override
        public boolean mayStart(Lane lane) {
            return false;
        }

        @Override
        public LoadRoom room() {
            return room;
        }

        @Override
        public void loaded(PendingTimer timer) {
            throw new AssertionError(timer.key());
        }

        @Override
        public void unloaded(PendingTimer timer) {
            throw new AssertionError(timer.key());
        }
    }

    /** Pretends to be no node, so that all partitions stay with the owner. */
    private static final class AloofLink extends PassingLink {

        private static final Script BEAT = Script.named("beat");
        private static final Reply ALONE = new Reply(
                Reply.Outcome.DONE,
                List.of(0L, 0L, List.of(Layout.bytes("owner")), List.of(Layout.bytes("3:1"))),
                "",
                1);

        AloofLink(Link link) {
            super(link);
        }

        private static boolean isBeat(Call call) {
            return call.script != null && call.script.sha1().equals(BEAT.sha1());
        }

        @Override
        public void send(Call call) {
            if (!isBeat(call)) {
                super.send(call);
            }
        }

        @Override
        public Reply await(Call call, Duration timeout) {
            return isBeat(call) ? ALONE : super.await(call, timeout);
        }
    }

    /** Loses replies of what the owner does, and leads to another server. */
    private static final class FaultyLink extends PassingLink {

        private static final Script TEND = Script.named("tend");

        private long moved;

        /** So many replies are lost from now on. */
        private int loseSome;

        FaultyLink(Link link) {
            super(link);
        }

        void toAnotherServer() {
            moved += 1_000;
        }

        @Override
        public void send(Call call) {
            Script script = call.script;
            if (script == null) {
                super.send(call);
                return;
            }
            boolean lose = loseSome > 0 && script.sha1().equals(TEND.sha1());
            loseSome -= lose ? 1 : 0;
            super.send(new Call(call.slot, script, call.keys, call.arguments, call.level) {
                @Override
                public void answered(Reply reply) {
                    call.answered(
                            lose
                                    ? new Reply(Reply.Outcome.UNKNOWN, null, "lost", 0)
                                    : new Reply(
                                            reply.outcome(),
                                            reply.value(),
                                            reply.reason(),
                                            reply.connection() + moved));
                }
            });
        }
    }
}
