package io.tickwheel.store.redis;

import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFormatException;
import io.tickwheel.store.StoreLockedException;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.LettuceLink;
import io.tickwheel.store.redis.link.Link;
import io.tickwheel.store.redis.link.Reply;
import io.tickwheel.store.redis.loading.TurnTime;
import io.tickwheel.store.redis.namespace.FormatCheck;
import io.tickwheel.store.redis.namespace.Membership;
import io.tickwheel.store.redis.namespace.NamespaceWatch;
import io.tickwheel.store.redis.namespace.RightsCheck;
import io.tickwheel.store.redis.namespace.StoreTime;
import io.tickwheel.store.redis.partition.NodeContext;
import io.tickwheel.store.redis.query.BlockingQuery;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Opens a calendar: looks whether the namespace is one that this node can work with, learns the time of the servers, and takes the name
 * of the node. Blocks; used before there is a loop.
 */
final class CalendarOpening {

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final RedisOptions options;
    private final StoreContext context;
    private final Layout layout;
    private final Link link;
    private final FormatCheck format;
    private final StoreTime time;
    private final NamespaceWatch namespace;
    private final Membership membership;
    private final DurabilityView durability;
    private final RedisMail mail;
    private final RedisCalendar calendar;

    private CalendarOpening(
            RedisOptions options,
            StoreContext context,
            CalendarListener listener,
            Layout layout,
            Link link,
            String node) {
        LongSupplier random = context.random();
        long firstOperation = random.getAsLong();
        String session = Long.toHexString(random.getAsLong());
        TurnTime turn = new TurnTime(context.monoNanos().getAsLong());
        this.options = options;
        this.context = context;
        this.layout = layout;
        this.link = link;
        this.format = new FormatCheck(link, layout, options.lease());
        this.time = new StoreTime(layout.homeSlot(), context.monoNanos());
        this.namespace = new NamespaceWatch(layout, format, link);
        this.membership = new Membership(
                layout, namespace, node, random.getAsLong(), options.lease().toMillis(), turn.nowNanos());
        this.durability =
                new DurabilityView(link, options.durability(), options.lease().toNanos() / 12);
        NodeContext own = new NodeContext(
                options.settings(), session, layout, link, listener, random, turn, time, membership, namespace);
        this.mail = new RedisMail(layout, link, membership);
        this.calendar =
                new RedisCalendar(options, context.monoNanos(), own, time, namespace, durability, mail, firstOperation);
    }

    /** Opens a calendar on the servers of its address. */
    static RedisCalendar open(RedisOptions options, StoreContext context, CalendarListener listener) {
        Duration namePatience = options.lease().multipliedBy(3).dividedBy(2);
        return open(options, context, listener, link(options, context), namePatience);
    }

    /** Opens the way to the servers. */
    static Link link(RedisOptions options, StoreContext context) {
        return LettuceLink.open(
                options.address().servers(), options.timeout(), context.monoNanos(), context.random(), context.waker());
    }

    /**
     * Opens a calendar over a link that is open already; it is closed with the calendar, or when that cannot be opened.
     *
     * @param namePatience how long to wait for another node of the name, which may have died just now
     */
    static RedisCalendar open(
            RedisOptions options, StoreContext context, CalendarListener listener, Link link, Duration namePatience) {
        String node =
                options.node().isEmpty() ? Long.toHexString(context.random().getAsLong()) : options.node();
        try {
            Layout layout =
                    FormatCheck.layout(new BlockingQuery(link, PATIENCE), options.namespace(), options.partitions());
            CalendarOpening opening = new CalendarOpening(options, context, listener, layout, link, node);
            opening.check();
            opening.takeName(namePatience.toNanos());
            return opening.calendar;
        } catch (RuntimeException | Error e) {
            link.close();
            throw e;
        }
    }

    private void check() {
        new RightsCheck(link, layout, PATIENCE).check(options.durability());
        String newId = NamespaceWatch.newId(context.random());
        namespace.opened(format.check(PATIENCE, newId));
        link.greet(namespace);
        String cannot = link.cannot(options.durability());
        if (cannot != null) {
            throw new StoreException(cannot);
        }
        durability.look();
        for (int i = 0; i < 3; i++) {
            ask(time.question());
        }
    }

    private void takeName(long patienceNanos) {
        LongSupplier monoNanos = context.monoNanos();
        long sinceNanos = monoNanos.getAsLong();
        ask(membership.beat(false));
        while (membership.isHeld() || membership.otherLeaseMs() > 0) {
            if (monoNanos.getAsLong() - sinceNanos > patience(patienceNanos)) {
                String gone = namespace.gone();
                throw gone == null
                        ? new StoreLockedException("another node with the name " + membership.node() + " is alive")
                        : new StoreFormatException(gone);
            }
            LockSupport.parkNanos(this, options.lease().toNanos() / 20);
            ask(membership.beat(false));
        }
        membership.forgetTaken();
        String gone = namespace.gone();
        if (gone != null) {
            throw new StoreException(gone);
        }
        namespace.entered();
        link.subscribe(layout.channel(membership.node()), calendar::hinted);
        link.subscribe(layout.mailbox(membership.self()), mail::came);
    }

    /** Who is in the way may have died just now; or long ago, and be remembered by a server whose clock is behind. */
    private long patience(long nameNanos) {
        if (membership.isTaken()) {
            return nameNanos;
        }
        return Math.max(nameNanos, membership.otherLeaseMs() * 1_000_000) * 5 / 3;
    }

    /** Sends a call at once, and has it take its reply. */
    private void ask(Call call) {
        Reply reply = link.await(call, PATIENCE);
        if (reply.outcome() != Reply.Outcome.DONE) {
            throw new StoreException("Redis did not answer: " + reply.reason());
        }
        call.answered(reply);
    }
}
