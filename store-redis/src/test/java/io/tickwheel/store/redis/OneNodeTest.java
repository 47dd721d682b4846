package io.tickwheel.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.Answer;
import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.Durability;
import io.tickwheel.store.Lane;
import io.tickwheel.store.LimitRequest;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.StoreGoneException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Text;
import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.Link;
import io.tickwheel.store.redis.link.PassingLink;
import io.tickwheel.store.redis.link.Reply;
import io.tickwheel.store.redis.link.Script;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What a node that is alone does when its server is another one, or when it leaves; driven turn by turn. */
final class OneNodeTest implements CalendarListener {

    private static final long HORIZON_MS = 1_000_000;
    private static final long PATIENCE_MS = 60_000;
    private static final AtomicLong NAMESPACES = new AtomicLong();

    private static RedisServer server;

    private final String namespace = "one" + NAMESPACES.incrementAndGet();
    private final AtomicLong random = new AtomicLong(1);
    private final List<PendingTimer> loaded = new ArrayList<>();
    private final List<ClaimedTimer> granted = new ArrayList<>();
    private final Set<Lane> blocked = new HashSet<>();
    private final LoadRoom room = new LoadRoom(1_024, 1 << 20, 0);
    private long horizonMs = HORIZON_MS;
    private MovedLink link;

    @BeforeAll
    static void start() {
        server = RedisServer.builder().start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** A failover took back the end of a timer: it is loaded, whichever call it is that finds the other server. */
    @Test
    void anotherServerMakesANodeLoadEverythingAgain() {
        RedisCalendar calendar = open();
        // In a slice that ends after what is loaded, or the look for what was forgotten would find it too.
        calendar.schedule(
                new ScheduleCommand(new TimerKey("q", "k"), HORIZON_MS - 10, new byte[0], OnConflict.REPLACE, 0),
                new Ignored());
        await(calendar, () -> loaded.size() == 1);
        await(calendar, calendar::isQuiet);
        copyKeys(namespace, "saved-" + namespace);
        calendar.claim(loaded.get(0), granted::add);
        await(calendar, () -> granted.size() == 1);
        assertThat(calendar.finish(loaded.get(0), TimerState.COMPLETED)).isTrue();
        await(calendar, calendar::isQuiet);

        copyKeys("saved-" + namespace, namespace);
        link.toAnotherServer();
        horizonMs += 10_000;
        await(calendar, () -> loaded.size() == 2);
        await(calendar, calendar::isQuiet);
        calendar.close();
    }

    /** Its lease ran out while it stood still, and another has the partition by now. */
    @Test
    void formerOwnerClaimsNothing() {
        RedisCalendar calendar = open();
        calendar.schedule(
                new ScheduleCommand(new TimerKey("q", "k"), HORIZON_MS - 10, new byte[0], OnConflict.REPLACE, 0),
                new Ignored());
        await(calendar, () -> loaded.size() == 1);
        await(calendar, calendar::isQuiet);
        String meta = Text.string(new Layout(namespace, 1).key(0, "m"));
        String later = Long.toString(System.currentTimeMillis() + 600_000);
        server.command("HSET", meta, "owner", "another", "epoch", later, "lease", later);
        calendar.claim(loaded.get(0), granted::add);
        await(calendar, loaded::isEmpty);
        await(calendar, calendar::isQuiet);
        assertThat(granted).isEmpty();
        assertThat(server.command("HGET", meta, "owner")).isEqualTo("another");
        calendar.close();
    }

    /** What is to be replicated goes over a connection of its own: that is no other server. */
    @Test
    void secondConnectionToAServerIsNoOtherServer() {
        RedisCalendar calendar = open(Durability.replicated(1));
        for (int i = 0; i < 10; i++) {
            int before = loaded.size();
            calendar.schedule(
                    new ScheduleCommand(new TimerKey("q", "k" + i), HORIZON_MS, new byte[0], OnConflict.REPLACE, 0),
                    new Ignored());
            horizonMs += 10_000;
            await(calendar, () -> loaded.size() > before && calendar.load(0, horizonMs, 100));
        }
        await(calendar, calendar::isQuiet);
        assertThat(link.fullLoads).isEqualTo(1);
        calendar.close();
    }

    @Test
    void lastNodeThatHandsOverDoesNotTakeItselfForAnother() {
        RedisCalendar calendar = open();
        calendar.handOver();
        await(calendar, () -> server.command("ZCARD", text("nodes")).equals(0L));
        long untilMs = System.currentTimeMillis() + 100;
        await(calendar, () -> System.currentTimeMillis() > untilMs);
        assertThat(calendar.isQuiet()).isTrue();
        calendar.close();
    }

    /** Another node died, and then the clock of the server was set back by an hour. */
    @Test
    void whatLiesAnHourAheadCountsFromNow() {
        Duration lease = Duration.ofSeconds(1);
        RedisCalendar former = open(Durability.MEMORY, lease);
        former.schedule(
                new ScheduleCommand(new TimerKey("q", "k"), 1, new byte[0], OnConflict.REPLACE, 0), new Ignored());
        await(former, () -> loaded.size() == 1);
        former.claim(loaded.get(0), granted::add);
        await(former, () -> granted.size() == 1);
        await(former, former::isQuiet);
        former.close();
        loaded.clear();
        String later = Long.toString(System.currentTimeMillis() + 3_600_000);
        Layout layout = new Layout(namespace, 1);
        server.command("HSET", Text.string(layout.key(0, "m")), "owner", "another", "lease", later);
        server.command("ZADD", text("nodes"), later, "another");
        server.command("HSET", text("ids"), "another", "1");
        server.command("ZADD", Text.string(layout.key(0, "f")), "XX", later, "q\0k");

        RedisCalendar calendar = open(Durability.MEMORY, lease);
        await(calendar, () -> loaded.size() == 1);
        assertThat(server.command("ZRANGE", text("nodes"), "0", "-1")).isEqualTo(List.of("n"));
        calendar.close();
    }

    /** The server has no append-only file. */
    @Test
    void nothingIsSyncedWithoutAFileToSync() {
        RedisCalendar calendar = open();
        assertThat(calendar.offers(Durability.fsync(0))).isFalse();
        assertThat(calendar.offers(Durability.replicated(1))).isTrue();
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> open(Durability.fsync(1)))
                .withMessageContaining("durability is fsync(1), which needs WAITAOF")
                .withMessageContaining("appendonly no");
        calendar.close();
    }

    /** A later version may say what this one does not know. */
    @Test
    void messageThatIsNoHintIsPassedOver() {
        RedisCalendar calendar = open();
        for (String message : List.of("later", "", "1", "-1", "99999999999")) {
            calendar.hinted(message);
        }
        calendar.schedule(
                new ScheduleCommand(new TimerKey("q", "k"), HORIZON_MS - 10, new byte[0], OnConflict.REPLACE, 0),
                new Ignored());
        await(calendar, () -> loaded.size() == 1);
        calendar.close();
        assertThat(server.command("ZCARD", text("nodes"))).as("nodes that live").isEqualTo(0L);
    }

    /** Notes how it ended. */
    private static final class Told<T> implements Answer<T> {

        private final List<StoreException> failures;

        Told(List<StoreException> failures) {
            this.failures = failures;
        }

        @Override
        public void accept(T result) {}

        @Override
        public void fail(StoreException failure) {
            failures.add(failure);
        }
    }

    @Test
    void whoeverWaitsLearnsThatTheStoreHasFailed() {
        RedisCalendar calendar = open();
        List<StoreException> failures = new ArrayList<>();
        calendar.schedule(
                new ScheduleCommand(new TimerKey("q", "k"), 5, new byte[0], OnConflict.REPLACE, 0),
                new Told<>(failures));
        calendar.limits().ask(new LimitRequest("q", 5, 1, 1, 1, null, 1, 0, 0), new Told<>(failures));
        assertThat(calendar.isQuiet()).isFalse();
        calendar.fail(new IllegalStateException("broken"));
        assertThat(failures)
                .hasSize(2)
                .allSatisfy(failure -> assertThat(failure)
                        .isInstanceOfSatisfying(
                                StoreFailedException.class,
                                failed -> assertThat(failed.outcomeUnknown())
                                        .as("it may have been done")
                                        .isTrue()));
        calendar.close();
    }

    @Test
    void storeIsNotQuietWhileALimitIsAskedFor() {
        RedisCalendar calendar = open();
        List<StoreException> failures = new ArrayList<>();
        await(calendar, calendar::isQuiet);
        calendar.limits().ask(new LimitRequest("q", 5, 1, 1, 1, null, 1, 0, 0), new Told<>(failures));
        assertThat(calendar.isQuiet()).isFalse();
        await(calendar, calendar::isQuiet);
        assertThat(failures).isEmpty();
        calendar.close();
    }

    /** Also one that was asked for while it was only in doubt. */
    @Test
    void listsEndWhenTheNamespaceIsGone() {
        RedisCalendar calendar = open(Durability.MEMORY, Duration.ofSeconds(1));
        await(calendar, calendar::isQuiet);
        ((List<?>) server.command("KEYS", namespace + ":*")).forEach(key -> server.command("DEL", (String) key));
        int[] open = {0};
        List<StoreException> failures = new ArrayList<>();
        await(calendar, () -> {
            open[0]++;
            calendar.list(TimerQuery.of("q"), new Answer<>() {

                @Override
                public void accept(TimerPage page) {
                    open[0]--;
                }

                @Override
                public void fail(StoreException failure) {
                    open[0]--;
                    failures.add(failure);
                }
            });
            return calendar.unready() != null;
        });
        await(calendar, () -> open[0] == 0);
        assertThat(failures).isNotEmpty().allSatisfy(each -> assertThat(each).isInstanceOf(StoreGoneException.class));
        calendar.close();
    }

    private String text(String home) {
        return Text.string(new Layout(namespace, 1).homeKey(home));
    }

    private RedisCalendar open() {
        return open(Durability.MEMORY);
    }

    private RedisCalendar open(Durability durability) {
        return open(durability, Duration.ofMinutes(1));
    }

    private RedisCalendar open(Durability durability, Duration lease) {
        StoreContext context = new StoreContext(
                Runnable::run,
                Runnable::run,
                () -> {},
                () -> random.addAndGet(0x9e3779b97f4a7c15L),
                System::nanoTime,
                nanos -> {});
        RedisOptions options = RedisOptions.defaults(RedisAddress.single("redis://127.0.0.1:" + server.port()))
                .withNamespace(namespace)
                .withPartitions(1)
                .withNode("n")
                .withDurability(durability)
                .withLease(lease);
        link = new MovedLink(CalendarOpening.link(options, context));
        RedisCalendar calendar = CalendarOpening.open(options, context, this, link, Duration.ZERO);
        await(calendar, () -> calendar.load(0, horizonMs, 100));
        return calendar;
    }

    private void await(RedisCalendar calendar, BooleanSupplier condition) {
        assertThat(Patience.tryUntil(Duration.ofMillis(PATIENCE_MS), () -> {
                    calendar.load(0, horizonMs, 100);
                    calendar.work(100);
                    return condition.getAsBoolean();
                }))
                .isTrue();
    }

    /** All keys of a namespace, in the place of those of another. */
    private static void copyKeys(String from, String to) {
        ((List<?>) server.command("KEYS", to + ":*")).forEach(key -> server.command("DEL", (String) key));
        for (Object key : (List<?>) server.command("KEYS", from + ":*")) {
            server.command("COPY", (String) key, to + ((String) key).substring(from.length()));
        }
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
        loaded.add(timer);
    }

    @Override
    public void unloaded(PendingTimer timer) {
        assertThat(loaded.remove(timer)).isTrue();
    }

    private static final class Ignored implements Answer<Scheduled> {

        @Override
        public void accept(Scheduled scheduled) {
            assertThat(scheduled.outcome()).isEqualTo(Scheduled.Outcome.CREATED);
        }

        @Override
        public void fail(StoreException failure) {
            throw failure;
        }
    }

    /** A link that can pretend to lead to another server, and that replicas are there. */
    private static final class MovedLink extends PassingLink {

        private static final Script TEND = Script.named("tend");
        private static final long DURABLE = 500;
        private static final String BEGINNING = Long.toString(-Layout.FARTHEST_MS - 1);

        /** How often everything was loaded from the beginning. */
        int fullLoads;

        private long moved;

        MovedLink(Link link) {
            super(link);
        }

        void toAnotherServer() {
            moved += 1_000;
        }

        @Override
        public void send(Call call) {
            Script script = call.script;
            boolean durable = !call.level.equals(Durability.MEMORY);
            if (script != null
                    && script.sha1().equals(TEND.sha1())
                    && Text.string(call.arguments.get(4)).equals(BEGINNING)) {
                fullLoads++;
            }
            link.send(
                    script == null
                            ? new Call(call.slot, call.command, call.keys, call.arguments) {
                                @Override
                                public void answered(Reply reply) {
                                    call.answered(fromThere(reply, durable));
                                }
                            }
                            : new Call(call.slot, script, call.keys, call.arguments, Durability.MEMORY) {
                                @Override
                                public void answered(Reply reply) {
                                    call.answered(fromThere(reply, durable));
                                }
                            });
        }

        private Reply fromThere(Reply reply, boolean durable) {
            long number = reply.connection() == 0 ? 0 : reply.connection() + moved + (durable ? DURABLE : 0);
            return new Reply(reply.outcome(), reply.value(), reply.reason(), number);
        }
    }
}
