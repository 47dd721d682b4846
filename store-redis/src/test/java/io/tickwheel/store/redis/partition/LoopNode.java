package io.tickwheel.store.redis.partition;

import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.Durability;
import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Text;
import io.tickwheel.store.redis.link.HeldCalls;
import io.tickwheel.store.redis.loading.TurnTime;
import io.tickwheel.store.redis.namespace.FormatCheck;
import io.tickwheel.store.redis.namespace.Membership;
import io.tickwheel.store.redis.namespace.NamespaceWatch;
import io.tickwheel.store.redis.namespace.StoreTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A node without a server: a test turns its clock, draws its lots and answers its calls. */
final class LoopNode implements CalendarListener {

    static final Duration LEASE = Duration.ofSeconds(6);
    static final Duration TIMEOUT = Duration.ofSeconds(10);

    final Layout layout = new Layout("t", 8);
    final HeldCalls link = new HeldCalls();
    final TurnTime turn = new TurnTime(0);
    final NamespaceWatch namespace = new NamespaceWatch(layout, new FormatCheck(link, layout, LEASE), link);
    final Membership membership = new Membership(layout, namespace, "n", 1, LEASE.toMillis(), 0);
    final List<PendingTimer> loaded = new ArrayList<>();
    final StoreTime time = new StoreTime(layout.homeSlot(), turn::nowNanos);
    final NodeContext context;
    private final LoadRoom room = new LoadRoom(1_024, 1 << 20, 0);

    /** What is drawn next. */
    long lot;

    LoopNode() {
        this(Durability.MEMORY);
    }

    /** One whose changes are to be so durable. */
    LoopNode(Durability durability) {
        this.context = new NodeContext(
                new NodeSettings(durability, LEASE, TIMEOUT, 8),
                "s",
                layout,
                link,
                this,
                () -> lot,
                turn,
                time,
                membership,
                namespace);
    }

    /** Whether the clock of the server is asked before its time; nothing else must be under way. */
    boolean asksForTheTime() {
        time.work(turn.nowNanos(), link);
        return !link.sent.isEmpty();
    }

    /** The clock of the server was asked just now. */
    void knowTheTime() {
        time.work(turn.nowNanos(), link);
        link.answer(List.of(Text.bytes(0), Text.bytes(0)));
    }

    /** What the owner of a partition is answered where nothing waits. */
    static List<?> nothingToTend() {
        byte[] none = {};
        List<?> empty = List.of();
        return List.of(0L, 0L, 0L, empty, empty, none, empty, empty, 0L, none, 0L, empty, empty, empty);
    }

    @Override
    public boolean mayStart(Lane lane) {
        return true;
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
        loaded.remove(timer);
    }
}
