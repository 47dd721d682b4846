package io.tickwheel.store.redis;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.Changed;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.CompleteCommand;
import io.tickwheel.store.DueCountQuery;
import io.tickwheel.store.DueCounts;
import io.tickwheel.store.Durability;
import io.tickwheel.store.Lane;
import io.tickwheel.store.NodeMail;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.SharedLimits;
import io.tickwheel.store.SpawnCommand;
import io.tickwheel.store.Spawned;
import io.tickwheel.store.StoreClock;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.StoreGoneException;
import io.tickwheel.store.StoreLockedException;
import io.tickwheel.store.StoredTimer;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.WaitingLane;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.Link;
import io.tickwheel.store.redis.link.Reply;
import io.tickwheel.store.redis.loading.TurnTime;
import io.tickwheel.store.redis.namespace.Membership;
import io.tickwheel.store.redis.namespace.NamespaceWatch;
import io.tickwheel.store.redis.namespace.StoreTime;
import io.tickwheel.store.redis.partition.Commands;
import io.tickwheel.store.redis.partition.NodeContext;
import io.tickwheel.store.redis.partition.Partitions;
import io.tickwheel.store.redis.partition.QueueLimits;
import io.tickwheel.store.redis.query.Queries;
import io.tickwheel.store.redis.query.ReadBarrier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The calendar on Redis, as one node sees it. Commands go to the partition of their timer, whoever owns it; timers are
 * loaded, claimed and ended for the partitions that this node owns. Nothing here is the truth: a node can be thrown away at any
 * time.
 *
 * <pre>
 *   command -> Commands -> Partition (gathers) -> Link -> script -> reply -> Partition -> answer, listener
 *   Partitions works with all of them in each turn; Membership says which partitions to own; StoreTime is the clock; Queries answers what is asked of all partitions
 * </pre>
 *
 * Used by the loop only, except for {@link #clock} and {@link #offers}.
 */
final class RedisCalendar implements Calendar {

    private static final Duration CLOSING_PATIENCE = Duration.ofMillis(500);

    /** Little beside the way to Redis, and enough for a busy loop to send several calls in one write instead of one in each. */
    private static final long GATHER_NANOS = 300_000;

    /** How many commands may wait for their replies. */
    private static final int MOST_COMMANDS = 65_536;

    private final RedisOptions options;
    final Layout layout;
    private final Link link;
    private final LongSupplier monoNanos;
    private final TurnTime turn;
    private final StoreTime time;
    private final NamespaceWatch namespace;
    private final Membership membership;
    private final DurabilityView durability;
    private final RedisMail mail;
    private final Partitions partitions;
    private final Commands commands;
    private final QueueLimits limits;
    private final Queries queries;
    private final ReadBarrier barrier = new ReadBarrier();
    private boolean handedOver;

    /** What {@link NamespaceWatch#changes} were when partitions were worked with last. */
    private int seenNamespace;

    private @Nullable StoreFailedException failure;

    /** With what {@link CalendarOpening} has made. */
    RedisCalendar(
            RedisOptions options,
            LongSupplier monoNanos,
            NodeContext node,
            StoreTime time,
            NamespaceWatch namespace,
            DurabilityView durability,
            RedisMail mail,
            long firstOperation) {
        this.options = options;
        this.layout = node.layout;
        this.link = node.link;
        this.monoNanos = monoNanos;
        this.turn = node.turn;
        this.time = time;
        this.namespace = namespace;
        this.membership = node.membership;
        this.durability = durability;
        this.mail = mail;
        this.partitions = new Partitions(node);
        this.commands = new Commands(node, partitions, firstOperation);
        this.limits = new QueueLimits(node, namespace::isThere);
        this.queries = new Queries(layout, link, options.timeout().toNanos(), namespace::isThere);
    }

    // ---- commands

    @Override
    public void schedule(ScheduleCommand command, Answer<Scheduled> answer) {
        byte[] field = Layout.field(command.key());
        if (!refused(answer)) {
            commands.schedule(command, field, answer, barrier.enter());
        }
    }

    @Override
    public void cancel(
            TimerKey key, @Nullable String expectedId, @Nullable Durability level, Answer<Cancelled> answer) {
        byte[] field = Layout.field(key);
        if (!refused(answer)) {
            commands.cancel(key, field, expectedId, level, answer, barrier.enter());
        }
    }

    @Override
    public void change(ChangeCommand command, Answer<Changed> answer) {
        byte[] field = Layout.field(command.key());
        if (!refused(answer)) {
            commands.change(command, field, answer, barrier.enter());
        }
    }

    @Override
    public void complete(CompleteCommand command, Answer<Changed> answer) {
        byte[] field = Layout.field(command.key());
        if (!refused(answer)) {
            commands.complete(command, field, answer, barrier.enter());
        }
    }

    @Override
    public void find(TimerKey key, Answer<List<TimerView>> answer) {
        byte[] field = Layout.field(key);
        if (!refused(answer)) {
            commands.find(key, field, answer, barrier.enter());
        }
    }

    @Override
    public void read(TimerKey key, Answer<List<StoredTimer>> answer) {
        byte[] field = Layout.field(key);
        if (!refused(answer)) {
            commands.read(key, field, answer, barrier.enter());
        }
    }

    @Override
    public void queues(Answer<List<QueueCounts>> answer) {
        if (!refused(answer)) {
            barrier.whenThrough(() -> queries.queues(answer));
        }
    }

    @Override
    public void list(TimerQuery query, Answer<TimerPage> answer) {
        if (!refused(answer)) {
            barrier.whenThrough(() -> queries.list(query, answer));
        }
    }

    @Override
    public void countDue(DueCountQuery query, Answer<DueCounts> answer) {
        if (!refused(answer)) {
            barrier.whenThrough(() -> queries.countDue(query, answer));
        }
    }

    private boolean refused(Answer<?> answer) {
        String gone = namespace.gone();
        if (failure != null) {
            answer.fail(failure);
        } else if (gone != null) {
            answer.fail(new StoreGoneException(gone, false));
        }
        return failure != null || gone != null;
    }

    // ---- loading and claims

    @Override
    public boolean load(long nowMs, long toMs, int limit) {
        turn.load(nowMs);
        return partitions.load(toMs, limit);
    }

    @Override
    public long loadedTo() {
        return partitions.loadedTo();
    }

    @Override
    public void suspend(Lane lane) {
        partitions.suspend(lane);
    }

    @Override
    public void resume(Lane lane) {
        partitions.resume(lane);
    }

    @Override
    public void unload(PendingTimer pending) {
        commands.unload(pending);
    }

    @Override
    public List<WaitingLane> waiting() {
        return partitions.waiting();
    }

    @Override
    public void claim(PendingTimer pending, Consumer<ClaimedTimer> granted) {
        commands.claim(pending, granted);
    }

    @Override
    public boolean release(PendingTimer pending) {
        return commands.release(pending);
    }

    @Override
    public void reroute(PendingTimer pending, long route) {
        commands.reroute(pending, route);
    }

    @Override
    public boolean retry(PendingTimer pending, long attemptAtMs, @Nullable PastAttempt ended) {
        return commands.retry(pending, attemptAtMs, ended);
    }

    @Override
    public boolean postpone(PendingTimer pending, long attemptAtMs) {
        return commands.postpone(pending, attemptAtMs);
    }

    @Override
    public void spawn(SpawnCommand command, Answer<Spawned> answer) {
        if (!refused(answer)) {
            commands.spawn(command, answer, barrier.enter());
        }
    }

    @Override
    public boolean finish(PendingTimer pending, TimerState outcome, @Nullable PastAttempt ended) {
        return commands.finish(pending, outcome, ended, counts -> {});
    }

    @Override
    public void finish(PendingTimer held, TimerState outcome, @Nullable PastAttempt ended, Consumer<Boolean> counted) {
        commands.finish(held, outcome, ended, counted);
    }

    @Override
    public boolean holds(PendingTimer pending) {
        return commands.holds(pending);
    }

    // ---- the loop

    @Override
    public int work(int limit) {
        if (failure != null) {
            throw failure;
        }
        long nowNanos = monoNanos.getAsLong();
        turn.begin(nowNanos);
        int done = link.deliver(limit);
        if (!namespace.isThere()) {
            membership.hurryOnce(nowNanos);
        }
        membership.work(nowNanos, link);
        if (membership.isTaken() && !handedOver) {
            throw failNow(new StoreLockedException("another process uses the node name " + membership.node()));
        }
        time.work(nowNanos, link);
        queries.work(nowNanos);
        if (namespace.isThere()) {
            serve();
        } else {
            rest();
        }
        barrier.work();
        link.flush();
        return done;
    }

    private void serve() {
        if (seenNamespace != namespace.changes()) {
            seenNamespace = namespace.changes();
            partitions.leave("namespace " + layout.namespace + " was gone, and is there again");
        }
        durability.work(turn.nowNanos());
        partitions.work();
    }

    /** Does without the partitions until it is known whether the namespace is there. */
    private void rest() {
        String gone = namespace.gone();
        if (gone == null) {
            partitions.expire();
            return;
        }
        partitions.leave(gone);
        queries.fail(new StoreGoneException(gone, false));
    }

    @Override
    public void handOver() {
        if (!handedOver && failure == null) {
            handedOver = true;
            membership.leave(turn.nowNanos());
            partitions.handOver();
        }
    }

    /** Takes a message that another node has sent to this one. */
    void hinted(String message) {
        if (message.equals("nodes")) {
            membership.hurry(turn.nowNanos());
        } else {
            partitions.hint(message);
        }
    }

    @Override
    public long idleNanos() {
        return Math.min(link.idleNanos(), partitions.idleNanos());
    }

    @Override
    public long gatherNanos() {
        return GATHER_NANOS;
    }

    @Override
    public boolean hasRoom() {
        return barrier.inside() < MOST_COMMANDS;
    }

    @Override
    public boolean isQuiet() {
        return failure != null || (partitions.isQuiet() && barrier.isQuiet() && queries.isQuiet() && limits.isQuiet());
    }

    @Override
    public void fail(Throwable cause) {
        if (failure == null) {
            failNow(cause);
        }
    }

    private StoreFailedException failNow(Throwable cause) {
        StoreFailedException failed = new StoreFailedException("the store failed: " + cause, false, cause);
        failure = failed;
        StoreFailedException unknown = new StoreFailedException("the store failed: " + cause, true, cause);
        commands.fail();
        partitions.failAll(unknown);
        barrier.work();
        queries.fail(unknown);
        limits.failAll(unknown);
        return failed;
    }

    @Override
    public Durability durability() {
        return options.durability();
    }

    @Override
    public boolean offers(Durability level) {
        return durability.offers(level);
    }

    @Override
    public SharedLimits limits() {
        return limits;
    }

    @Override
    public StoreClock clock() {
        return time;
    }

    @Override
    public @Nullable String unready() {
        return namespace.gone();
    }

    @Override
    public boolean isShared() {
        return true;
    }

    @Override
    public NodeMail mail() {
        return mail;
    }

    /** Of the partitions that this node owns. */
    @Override
    public long liveCount() {
        return partitions.liveCount();
    }

    @Override
    public void close() {
        try {
            List<Call> farewells = new ArrayList<>();
            farewells.add(membership.beat(true));
            farewells.addAll(partitions.farewells());
            for (Call farewell : farewells) {
                if (link.await(farewell, CLOSING_PATIENCE).outcome() != Reply.Outcome.DONE) {
                    // The leases run out by themselves.
                    break;
                }
            }
        } finally {
            link.close();
        }
    }
}
