package io.tickwheel.store.redis;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.DueCountQuery;
import io.tickwheel.store.DueCounts;
import io.tickwheel.store.Durability;
import io.tickwheel.store.Lane;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreClock;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.StoreGoneException;
import io.tickwheel.store.StoreLockedException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.WaitingLane;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calendar on Redis, as one node sees it. Commands go to the {@link Partition} of their timer, whoever owns it; timers are
 * loaded, claimed and ended for the partitions that this node owns. Nothing here is the truth: a node can be thrown away at any
 * time.
 *
 * <pre>
 *   command -> Partition (gathers) -> Link -> script -> reply -> Partition -> answer, listener
 *   Membership says which partitions to own; StoreTime is the clock; Reads answers what is asked of all partitions
 * </pre>
 *
 * Used by the loop only, except for {@link #clock} and {@link #offers}.
 */
final class RedisCalendar implements Calendar {

    private static final Logger LOG = LoggerFactory.getLogger(RedisCalendar.class);
    private static final Duration OPENING_PATIENCE = Duration.ofSeconds(5);
    private static final Duration CLOSING_PATIENCE = Duration.ofMillis(500);

    /** A lease is renewed so much later at most. */
    private static final int IDLE_PART_OF_LEASE = 20;

    /** Little beside the way to Redis, and enough for a busy loop to send several calls in one write instead of one in each. */
    private static final long GATHER_NANOS = 300_000;

    /** So many calls with commands are under way where one server has all: it is never idle while the replies of some are read. */
    private static final int SENDERS = 4;

    /** How many commands may wait for their replies. */
    private static final int MOST_COMMANDS = 65_536;

    /** The end of a claim is tried for so long: after that the timer is delivered again anyway. */
    private static final long CLAIM_END_NANOS = 60_000_000_000L;

    final Layout layout;
    final Link link;
    final CalendarListener listener;
    final RedisLanes lanes;
    final LoadBudget budget;
    final LoadTurns turns;
    final long leaseNanos;
    final byte[] leaseText;
    final byte[] rememberedText;

    /** Names this opening among all of all nodes. */
    final String session;

    final byte[] channelText;

    private final RedisOptions options;
    private final LongSupplier monoNanos;
    private final LongSupplier random;
    private final StoreTime time;
    private final NamespaceWatch namespace;
    private final Membership membership;
    private final NearLook nearLook;
    private final Reads reads;
    private final Turnstile turnstile = new Turnstile();
    private final Partition[] partitions;
    private final Assignment assignment;
    private final List<CommandSender> senders;
    private final List<Loading> loadings;
    private final Set<String> toldDoubts = new HashSet<>();
    private long operations;
    private long nowNanos;
    private long loadNowMs;
    private long extendNanos;
    private int nextPartition;
    private boolean handedOver;

    /** What {@link NamespaceWatch#changes} were when partitions were worked with last. */
    private int seenNamespace;

    /** Whether all servers can say that something is synced. */
    private volatile boolean syncs;

    private @Nullable StoreFailedException failure;

    private RedisCalendar(
            RedisOptions options,
            StoreContext context,
            CalendarListener listener,
            Layout layout,
            Link link,
            String node) {
        this.options = options;
        this.layout = layout;
        this.link = link;
        this.listener = listener;
        this.lanes = new RedisLanes(listener);
        this.budget = new LoadBudget(listener.room());
        this.monoNanos = context.monoNanos();
        this.random = context.random();
        this.operations = random.getAsLong();
        this.session = Long.toHexString(random.getAsLong());
        this.nowNanos = monoNanos.getAsLong();
        this.leaseNanos = options.lease().toNanos();
        this.leaseText = Text.bytes(options.lease().toMillis());
        this.rememberedText = Text.bytes((options.finishedRemembered() + layout.partitions - 1) / layout.partitions);
        this.channelText = Layout.bytes(layout.channel(""));
        this.time = new StoreTime(layout.homeSlot(), monoNanos);
        this.namespace = new NamespaceWatch(layout, new FormatCheck(link, layout, options.lease()), link);
        this.membership = new Membership(
                layout,
                namespace,
                node,
                FormatCheck.mark() + Long.toHexString(random.getAsLong()),
                options.lease().toMillis(),
                nowNanos);
        this.reads = new Reads(layout, link, options.timeout().toNanos(), namespace::isThere);
        this.partitions = new Partition[layout.partitions];
        for (int i = 0; i < partitions.length; i++) {
            partitions[i] = new Partition(i, this);
        }
        List<Partition> all = List.of(partitions);
        this.assignment = new Assignment(membership, all);
        this.senders = senders(all);
        this.nearLook = new NearLook(all, link);
        this.turns = new LoadTurns(all, lanes, budget);
        this.loadings = all.stream().map(partition -> partition.loading).toList();
    }

    /** As many as one server is busy with, or one for each slot of a cluster. */
    private List<CommandSender> senders(List<Partition> all) {
        int count = link.isCluster() ? all.size() : Math.min(all.size(), SENDERS);
        List<CommandSender> some = new ArrayList<>(count);
        for (int first = 0; first < count; first++) {
            List<Partition> part = new ArrayList<>();
            for (int i = first; i < all.size(); i += count) {
                part.add(all.get(i));
            }
            some.add(new CommandSender(this, List.copyOf(part)));
        }
        return List.copyOf(some);
    }

    static RedisCalendar open(RedisOptions options, StoreContext context, CalendarListener listener) {
        return open(
                options,
                context,
                listener,
                link -> link,
                options.lease().multipliedBy(3).dividedBy(2));
    }

    /**
     * As the other, for tests.
     *
     * @param decorator holds up or loses what goes over the link
     * @param namePatience how long to wait for another node of the name, which may have died just now
     */
    static RedisCalendar open(
            RedisOptions options,
            StoreContext context,
            CalendarListener listener,
            UnaryOperator<Link> decorator,
            Duration namePatience) {
        Link link = decorator.apply(
                LettuceLink.open(options.address(), options.timeout(), context.monoNanos(), context.waker()));
        return open(options, context, listener, link, namePatience);
    }

    /** As the other, over a link that is open already; it is closed with the calendar, or when it cannot be opened. */
    static RedisCalendar open(
            RedisOptions options, StoreContext context, CalendarListener listener, Link link, Duration namePatience) {
        String node =
                options.node().isEmpty() ? Long.toHexString(context.random().getAsLong()) : options.node();
        try {
            Layout layout = FormatCheck.layout(new Inquiry(link, OPENING_PATIENCE), options);
            RedisCalendar calendar = new RedisCalendar(options, context, listener, layout, link, node);
            calendar.start(namePatience.toNanos());
            return calendar;
        } catch (RuntimeException | Error e) {
            link.close();
            throw e;
        }
    }

    private void start(long patienceNanos) {
        String newId = NamespaceWatch.newId(random);
        namespace.opened(new FormatCheck(link, layout, options.lease()).check(OPENING_PATIENCE, newId));
        link.greet(namespace);
        String cannot = link.cannot(options.durability());
        if (cannot != null) {
            throw new StoreException(cannot);
        }
        tellDoubt();
        syncs = canSync();
        for (int i = 0; i < 3; i++) {
            ask(time.question());
        }
        long sinceNanos = monoNanos.getAsLong();
        ask(membership.beat(false));
        while (membership.isHeld()) {
            // It may have died just now; or long ago, and be remembered by a server whose clock is behind.
            long patience = membership.isTaken() ? patienceNanos : patienceNanos * 5 / 3;
            if (monoNanos.getAsLong() - sinceNanos > patience) {
                throw new StoreLockedException("another node with the name " + membership.node() + " is alive");
            }
            LockSupport.parkNanos(this, leaseNanos / 20);
            ask(membership.beat(false));
        }
        membership.forgetTaken();
        String gone = namespace.gone();
        if (gone != null) {
            throw new StoreException(gone);
        }
        link.subscribe(layout.channel(membership.node()), this::hinted);
    }

    /** Each reason once: masters and the number of their replicas change while the node runs. */
    private void tellDoubt() {
        String doubt = link.doubt(options.durability());
        if (doubt != null && toldDoubts.add(doubt)) {
            LOG.warn("{}", doubt);
        }
    }

    private boolean canSync() {
        return link.cannot(Durability.fsync(0)) == null;
    }

    /** Sends a call at once, and has it take its reply. */
    private void ask(Call call) {
        Reply reply = link.await(call, OPENING_PATIENCE);
        if (reply.outcome() != Reply.Outcome.DONE) {
            throw new StoreException("Redis did not answer: " + reply.reason());
        }
        call.answered(reply);
    }

    // ---- for the partitions

    /** The monotonic clock, as of this turn. */
    long nowNanos() {
        return nowNanos;
    }

    /** The wall clock that the last load was asked with. */
    long loadNowMs() {
        return loadNowMs;
    }

    String node() {
        return membership.node();
    }

    /** Where the node is told that is to own a partition; empty when there is none. */
    String channelOfOwner(int partition) {
        String owner = membership.owner(partition);
        return owner.isEmpty() ? "" : layout.channel(owner);
    }

    /** Until when a script sent now may be carried out, in the server's time. */
    byte[] scriptDeadline() {
        return scriptDeadline(options.timeout().toNanos());
    }

    byte[] scriptDeadline(long withinNanos) {
        return Text.bytes(time.nowMs() + Math.min(withinNanos, options.timeout().toNanos()) / 1_000_000);
    }

    /** A script came too late, or the server's clock was stepped. */
    void doubtTime() {
        time.doubt();
    }

    long claimDeadline() {
        return nowNanos + CLAIM_END_NANOS;
    }

    long jitter(long range) {
        return range <= 0 ? 0 : Long.remainderUnsigned(random.getAsLong(), range);
    }

    /**
     * A partition that this node owned is not there any more.
     *
     * @param partition which, or {@link NamespaceWatch#NO_PARTITION} when it may never have been on this server
     */
    void vanished(int partition) {
        namespace.doubt(partition);
    }

    // ---- commands

    @Override
    public void schedule(ScheduleCommand command, Answer<Scheduled> answer) {
        byte[] field = Layout.field(command.key());
        if (Math.abs(command.dueAtMs()) > Layout.FARTHEST_MS || command.dueAtMs() == Long.MIN_VALUE) {
            throw new IllegalArgumentException("due time is " + command.dueAtMs() + " ms, must be from "
                    + -Layout.FARTHEST_MS + " to " + Layout.FARTHEST_MS);
        }
        if (refused(answer)) {
            return;
        }
        Partition partition = partition(field);
        partition.add(new ClientCommand.Schedule(
                command,
                field,
                partition,
                level(command.durability()),
                deadline(),
                isFar(command.dueAtMs()),
                operations++,
                answer,
                turnstile.enter()));
    }

    @Override
    public void cancel(TimerKey key, @Nullable Durability level, Answer<Cancelled> answer) {
        byte[] field = Layout.field(key);
        if (refused(answer)) {
            return;
        }
        Partition partition = partition(field);
        partition.add(new ClientCommand.Cancel(
                key, field, partition, level(level), deadline(), operations++, answer, turnstile.enter()));
    }

    @Override
    public void find(TimerKey key, Answer<List<TimerView>> answer) {
        byte[] field = Layout.field(key);
        if (refused(answer)) {
            return;
        }
        Partition partition = partition(field);
        partition.add(new ClientCommand.Find(
                key, field, partition, options.durability(), deadline(), answer, turnstile.enter()));
    }

    @Override
    public void queues(Answer<List<QueueCounts>> answer) {
        if (!refused(answer)) {
            turnstile.whenThrough(() -> reads.queues(answer));
        }
    }

    @Override
    public void list(TimerQuery query, Answer<TimerPage> answer) {
        if (!refused(answer)) {
            turnstile.whenThrough(() -> reads.list(query, answer));
        }
    }

    @Override
    public void countDue(DueCountQuery query, Answer<DueCounts> answer) {
        if (!refused(answer)) {
            turnstile.whenThrough(() -> reads.countDue(query, answer));
        }
    }

    private Partition partition(byte[] field) {
        return partitions[layout.partition(field)];
    }

    private boolean isFar(long dueAtMs) {
        return dueAtMs - time.nowMs() > Layout.FAR_MS;
    }

    private long deadline() {
        return nowNanos + options.timeout().toNanos();
    }

    private Durability level(@Nullable Durability asked) {
        return asked == null ? options.durability() : asked;
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
        loadNowMs = nowMs;
        boolean all = assignment.isKnown();
        int owned = 0;
        for (Partition partition : partitions) {
            partition.loading.want(toMs);
            owned += partition.isOwned() ? 1 : 0;
            all &= partition.isOwned() || !partition.isWanted();
        }
        budget.begin(limit, owned);
        return all && (owned == 0 || loadedTo() >= toMs);
    }

    @Override
    public long loadedTo() {
        long lookedTo = Long.MAX_VALUE;
        for (Partition partition : partitions) {
            if (partition.isOwned()) {
                lookedTo = Math.min(lookedTo, partition.loading.lookedTo());
            }
        }
        return lookedTo == Long.MAX_VALUE ? Long.MIN_VALUE : Math.min(lookedTo, lanes.loadedTo());
    }

    @Override
    public void suspend(Lane lane) {
        lanes.suspend(lane, loadings);
    }

    @Override
    public void resume(Lane lane) {
        lanes.resume(lane, loadings);
    }

    @Override
    public void unload(PendingTimer pending) {
        RedisTimer timer = (RedisTimer) pending;
        timer.partition.timers.passOver(timer);
    }

    @Override
    public List<WaitingLane> waiting() {
        return lanes.waiting(loadNowMs);
    }

    @Override
    public void claim(PendingTimer pending, Consumer<ClaimedTimer> granted) {
        RedisTimer timer = (RedisTimer) pending;
        timer.partition.add(new ClaimCommand.Claim(timer, operations++, options.durability(), granted));
    }

    @Override
    public boolean release(PendingTimer pending) {
        RedisTimer timer = (RedisTimer) pending;
        return timer.partition.timers.release(timer);
    }

    @Override
    public void reroute(PendingTimer pending, long route) {
        RedisTimer timer = (RedisTimer) pending;
        if (timer.partition.timers.end(timer) && failure == null) {
            timer.partition.add(ClaimCommand.GiveBack.reroute(timer, route, options.durability(), claimDeadline()));
        }
    }

    @Override
    public boolean retry(PendingTimer pending, long attemptAtMs) {
        RedisTimer timer = (RedisTimer) pending;
        boolean counts = timer.partition.timers.end(timer) && failure == null;
        if (counts) {
            // A pause without end ends in 35,000 years.
            long laterMs = Math.min(attemptAtMs, Layout.FARTHEST_MS);
            timer.partition.add(
                    ClaimCommand.GiveBack.retry(timer, isFar(laterMs), laterMs, options.durability(), claimDeadline()));
        }
        return counts;
    }

    @Override
    public boolean finish(PendingTimer pending, TimerState outcome) {
        if (!outcome.isFinished() || outcome == TimerState.CANCELLED) {
            throw new IllegalArgumentException("a claim does not end " + outcome);
        }
        RedisTimer timer = (RedisTimer) pending;
        boolean counts = timer.partition.timers.end(timer) && failure == null;
        if (counts) {
            timer.partition.add(new ClaimCommand.Finish(timer, outcome, options.durability(), claimDeadline()));
        }
        return counts;
    }

    // ---- the loop

    @Override
    public int work(int limit) {
        if (failure != null) {
            throw failure;
        }
        nowNanos = monoNanos.getAsLong();
        int done = link.deliver(limit);
        if (!namespace.isThere()) {
            membership.hurryOnce(nowNanos);
        }
        membership.work(nowNanos, link);
        if (membership.isTaken() && !handedOver) {
            throw failNow(new StoreLockedException("another process uses the node name " + membership.node()));
        }
        time.work(nowNanos, link);
        reads.work(nowNanos);
        if (namespace.isThere()) {
            serve();
        } else {
            rest();
        }
        turnstile.work();
        link.flush();
        return done;
    }

    private void serve() {
        if (seenNamespace != namespace.changes()) {
            seenNamespace = namespace.changes();
            leavePartitions("namespace " + layout.namespace + " was gone, and is there again");
        }
        nearLook.work(nowNanos);
        assignment.work(nowNanos);
        boolean extend = nowNanos - extendNanos >= 0;
        if (extend) {
            extendNanos = nowNanos + leaseNanos / 12;
            syncs = canSync();
            tellDoubt();
        }
        lanes.work(nowNanos);
        turns.work(loadNowMs, nowNanos);
        // Each turn another one is first to ask for room.
        nextPartition = (nextPartition + 1) % partitions.length;
        for (int i = 0; i < partitions.length; i++) {
            Partition partition = partitions[(nextPartition + i) % partitions.length];
            if (extend) {
                partition.timers.extend(nowNanos);
            }
            partition.drive(nowNanos);
        }
        for (CommandSender sender : senders) {
            sender.drive(nowNanos);
        }
    }

    /** Does without the partitions until it is known whether the namespace is there. */
    private void rest() {
        String gone = namespace.gone();
        if (gone == null) {
            for (Partition partition : partitions) {
                partition.expire(nowNanos);
            }
            return;
        }
        leavePartitions(gone);
        reads.fail(new StoreGoneException(gone, false));
    }

    private void leavePartitions(String reason) {
        for (Partition partition : partitions) {
            partition.leave(reason);
        }
    }

    @Override
    public void handOver() {
        if (!handedOver && failure == null) {
            handedOver = true;
            membership.leave(nowNanos);
            assignment.end();
        }
    }

    private void hinted(String message) {
        if (message.equals("nodes")) {
            membership.hurry(nowNanos);
            return;
        }
        int index = Integer.parseInt(message);
        if (index >= 0 && index < partitions.length) {
            partitions[index].hint();
        }
    }

    @Override
    public long idleNanos() {
        long idle =
                Math.min(link.idleNanos(), Math.min(leaseNanos / IDLE_PART_OF_LEASE, assignment.idleNanos(nowNanos)));
        for (Partition partition : partitions) {
            idle = Math.min(idle, partition.idleNanos(nowNanos));
        }
        for (CommandSender sender : senders) {
            idle = Math.min(idle, sender.idleNanos(nowNanos));
        }
        return idle;
    }

    @Override
    public long gatherNanos() {
        return GATHER_NANOS;
    }

    @Override
    public boolean hasRoom() {
        return turnstile.inside() < MOST_COMMANDS;
    }

    @Override
    public boolean isQuiet() {
        if (failure != null) {
            return true;
        }
        for (Partition partition : partitions) {
            if (!partition.isQuiet()) {
                return false;
            }
        }
        return turnstile.isQuiet() && reads.isQuiet();
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
        for (Partition partition : partitions) {
            partition.failAll(unknown);
        }
        turnstile.work();
        reads.fail(unknown);
        return failed;
    }

    @Override
    public Durability durability() {
        return options.durability();
    }

    @Override
    public boolean offers(Durability level) {
        return RedisOptions.offers(level) && (level.kind() != Durability.Kind.FSYNC || syncs);
    }

    @Override
    public StoreClock clock() {
        return time;
    }

    @Override
    public @Nullable String unready() {
        return namespace.gone();
    }

    /** Of the partitions that this node owns. */
    @Override
    public long liveCount() {
        long live = 0;
        for (Partition partition : partitions) {
            live += partition.live();
        }
        return live;
    }

    @Override
    public void close() {
        try {
            List<Call> farewells = new ArrayList<>();
            farewells.add(membership.beat(true));
            for (Partition partition : partitions) {
                Call farewell = partition.farewell();
                if (farewell != null) {
                    farewells.add(farewell);
                }
            }
            for (Call farewell : farewells) {
                Reply reply = link.await(farewell, CLOSING_PATIENCE);
                if (reply.outcome() != Reply.Outcome.DONE) {
                    // The leases run out by themselves.
                    break;
                }
            }
        } finally {
            link.close();
        }
    }
}
