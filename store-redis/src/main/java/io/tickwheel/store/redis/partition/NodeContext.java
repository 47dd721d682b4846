package io.tickwheel.store.redis.partition;

import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.Durability;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Text;
import io.tickwheel.store.redis.link.Link;
import io.tickwheel.store.redis.loading.LoadBudget;
import io.tickwheel.store.redis.loading.RedisLanes;
import io.tickwheel.store.redis.loading.TurnTime;
import io.tickwheel.store.redis.namespace.Membership;
import io.tickwheel.store.redis.namespace.NamespaceWatch;
import io.tickwheel.store.redis.namespace.StoreTime;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What all partitions of a node share: its settings, the time, the way to the servers, and what it knows of the other nodes. Used by
 * the loop only.
 */
public final class NodeContext {

    private static final Logger CLAIMS = LoggerFactory.getLogger(ClaimLog.class);

    /** The end of a claim is tried for so long: after that the timer is delivered again anyway. */
    private static final long CLAIM_END_NANOS = 60_000_000_000L;

    public final Layout layout;
    public final Link link;
    final CalendarListener listener;
    final RedisLanes lanes;
    final LoadBudget budget;
    final ClaimLog claimLog = new ClaimLog(CLAIMS::info);
    final ClaimLog claimWarnings = new ClaimLog(CLAIMS::warn);
    public final TurnTime turn;
    public final Membership membership;
    final Durability durability;
    final long leaseNanos;
    final long timeoutNanos;
    final byte[] leaseText;
    final byte[] rememberedText;
    final byte[] channelText;

    /** Names this opening among all of all nodes. */
    final String session;

    private final StoreTime time;
    private final NamespaceWatch namespace;
    private final LongSupplier random;

    /** @param session names this opening among all of all nodes */
    public NodeContext(
            NodeSettings settings,
            String session,
            Layout layout,
            Link link,
            CalendarListener listener,
            LongSupplier random,
            TurnTime turn,
            StoreTime time,
            Membership membership,
            NamespaceWatch namespace) {
        this.session = session;
        this.layout = layout;
        this.link = link;
        this.listener = listener;
        this.random = random;
        this.turn = turn;
        this.time = time;
        this.membership = membership;
        this.namespace = namespace;
        this.lanes = new RedisLanes(listener);
        this.budget = new LoadBudget(listener.room());
        this.durability = settings.durability();
        this.leaseNanos = settings.lease().toNanos();
        this.timeoutNanos = settings.timeout().toNanos();
        this.leaseText = Text.bytes(settings.lease().toMillis());
        this.rememberedText = Text.bytes((settings.finishedRemembered() + layout.partitions - 1) / layout.partitions);
        this.channelText = Layout.bytes(layout.channel(""));
    }

    /** The monotonic clock, as of this turn. */
    long nowNanos() {
        return turn.nowNanos();
    }

    /** The server's clock, as far as it is known. */
    long serverNowMs() {
        return time.nowMs();
    }

    /** The wall clock that the last load was asked with. */
    long loadNowMs() {
        return turn.loadNowMs();
    }

    /** Whether a timer that is due then is due far ahead, so that its slice is a wide one. */
    boolean isFar(long dueAtMs) {
        return dueAtMs - time.nowMs() > Layout.FAR_MS;
    }

    String name() {
        return membership.node();
    }

    /** Where the node is told that is to own a partition; empty when there is none. */
    String channelOfOwner(int partition) {
        String owner = membership.owner(partition);
        return owner.isEmpty() ? "" : layout.channel(owner);
    }

    /** Until when a script sent now may be carried out, in the server's time. */
    byte[] scriptDeadline() {
        return scriptDeadline(timeoutNanos);
    }

    byte[] scriptDeadline(long withinNanos) {
        return Text.bytes(time.nowMs() + Math.min(withinNanos, timeoutNanos) / 1_000_000);
    }

    /** When a command of a client is given up that comes now. */
    long commandDeadline() {
        return nowNanos() + timeoutNanos;
    }

    /** When the end of a claim is given up that comes now. */
    long claimDeadline() {
        return nowNanos() + CLAIM_END_NANOS;
    }

    /** Has the server's clock asked: a script came too late, or that clock was stepped. */
    void doubtTime() {
        time.doubt();
    }

    /** Has the namespace looked for: a partition that this node owned is not there any more. */
    void vanished(int partition) {
        namespace.doubt(partition);
    }

    /** This node has owned a partition for so long that no failover forgets it. */
    void ownedForLong(int partition) {
        namespace.made().note(partition);
    }

    /** Whether somebody has owned a partition for so long, as far as is written down. */
    boolean wasOwnedForLong(int partition) {
        return namespace.made().has(partition);
    }

    /** Rises whenever what was known of the namespace does not hold any more. */
    int namespaceChanges() {
        return namespace.changes();
    }

    /** Has the namespace looked for: a partition is not on a server where it may never have been. */
    void missing() {
        namespace.doubt(NamespaceWatch.NO_PARTITION);
    }

    long jitter(long range) {
        return range <= 0 ? 0 : Long.remainderUnsigned(random.getAsLong(), range);
    }
}
