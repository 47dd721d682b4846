package io.tickwheel.store.redis.partition;

import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom.Age;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Member;
import io.tickwheel.store.redis.layout.TimerRecord;
import io.tickwheel.store.redis.loading.Loading;
import io.tickwheel.store.redis.loading.RedisLane;
import io.tickwheel.store.redis.loading.SeenTimer;
import io.tickwheel.store.redis.loading.TimerLoader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The timers of a partition that this node has: those that it has loaded, while it owns the partition, and those that it has
 * claimed. Nothing that is loaded is trusted: a claim finds out. Used by the loop only.
 */
final class LoadedTimers implements TimerLoader {

    private static final Logger LOG = LoggerFactory.getLogger(LoadedTimers.class);

    private static final long NANOS_A_MS = 1_000_000;

    /** What is kept of a loaded timer, about, in bytes; and its field twice. */
    private static final int TIMER_BYTES = 300;

    private final NodeContext node;
    private final int partition;
    private final Lease lease;
    private final CommandQueue commands;
    private final Loading loading;
    private final Map<String, RedisTimer> loaded = new HashMap<>();
    private final Map<String, RedisTimer> claimed = new HashMap<>();

    LoadedTimers(NodeContext node, int partition, Lease lease, CommandQueue commands, Loading loading) {
        this.node = node;
        this.partition = partition;
        this.lease = lease;
        this.commands = commands;
        this.loading = loading;
    }

    @Nullable
    RedisTimer known(byte[] field) {
        String name = name(field);
        RedisTimer timer = loaded.get(name);
        return timer != null ? timer : claimed.get(name);
    }

    // ---- what is pending

    @Override
    public boolean has(SeenTimer seen) {
        RedisTimer known = loaded.get(name(Member.field(seen.member())));
        if (known == null
                || known.attemptAtMs != seen.dueAtMs()
                || known.lane().route() != Member.route(seen.member())) {
            return false;
        }
        // It may have been replaced by another node.
        known.contentBytes = seen.contentBytes();
        return true;
    }

    @Override
    public boolean load(RedisLane lane, SeenTimer seen) {
        byte[] field = Member.field(seen.member());
        noteReplaced(field);
        return load(lane, field, seen.dueAtMs(), seen.contentBytes());
    }

    private boolean load(RedisLane lane, byte[] field, long attemptAtMs, int contentBytes) {
        Age age = Age.of(attemptAtMs, node.loadNowMs());
        if (!lane.mayStart() || !node.lanes.room().isOpenTo(lane.share, age)) {
            return false;
        }
        RedisTimer timer = new RedisTimer(partition, lane, field, attemptAtMs, contentBytes);
        hold(timer, lane, age);
        node.listener.loaded(timer);
        return true;
    }

    private void hold(RedisTimer timer, RedisLane lane, Age age) {
        timer.lane = lane;
        timer.loadedAs = age;
        timer.places = node.lanes.room().placesFor(TIMER_BYTES + 2L * timer.field.length);
        timer.state = RedisTimer.State.LOADED;
        node.lanes.room().take(lane.share, age, timer.places);
        loaded.put(name(timer.field), timer);
    }

    private void letGo(RedisTimer timer) {
        loaded.remove(name(timer.field), timer);
        node.lanes.room().giveBack(timer.lane.share, timer.loadedAs, timer.places);
    }

    /** A pending timer was seen: loads it if it is due in what was looked through. */
    void meet(SeenTimer seen) {
        byte[] field = Member.field(seen.member());
        if (!has(seen)) {
            noteReplaced(field);
            if (lease.isOwned() && loading.covers(seen.dueAtMs())) {
                RedisLane lane = node.lanes.of(Member.lane(seen.member()));
                if (!load(lane, field, seen.dueAtMs(), seen.contentBytes())) {
                    loading.pass(lane, seen.dueAtMs());
                }
            }
        }
    }

    /** Another timer stands under a field than is known here. */
    private void noteReplaced(byte[] field) {
        RedisTimer known = loaded.get(name(field));
        if (known != null) {
            unload(known);
        }
        RedisTimer running = claimed.get(name(field));
        if (running != null) {
            running.replaced = true;
        }
    }

    /**
     * What stands under a key now, after a command of this node.
     *
     * @param contentBytes how large its content is; negative when that is not known
     */
    void stands(byte[] field, TimerRecord record, int contentBytes) {
        RedisTimer known = loaded.get(name(field));
        if (record.state() != TimerState.PENDING) {
            if (known != null) {
                unload(known);
            }
            return;
        }
        if (!lease.isOwned()) {
            return;
        }
        // Another timer, even if it is due at the same time.
        noteReplaced(field);
        long dueAtMs = record.attemptAtMs();
        if (loading.covers(dueAtMs)) {
            RedisLane lane = node.lanes.of(new Lane(Layout.queue(field), record.route()));
            if (contentBytes < 0 || !load(lane, field, dueAtMs, contentBytes)) {
                // Who looks for it learns its size.
                loading.pass(lane, dueAtMs);
            }
        }
    }

    /** The timer of a claim was cancelled: the attempt that runs is its last one. */
    void cancelled(byte[] field, long token) {
        RedisTimer running = claimed.get(name(field));
        if (running != null && running.token == token) {
            running.cancelled = true;
        }
    }

    /** A timer is pending again as it was before its claim. */
    void back(RedisTimer timer, TimerRecord record) {
        RedisTimer known = loaded.get(name(timer.field));
        if (known == null || known.attemptAtMs != record.attemptAtMs()) {
            stands(timer.field, record, timer.contentBytes);
        }
    }

    void unload(RedisTimer timer) {
        if (timer.state == RedisTimer.State.LOADED) {
            timer.state = RedisTimer.State.GONE;
            letGo(timer);
            node.listener.unloaded(timer);
        }
    }

    /** Its loader lets go of it: it waits as if it had not been loaded. */
    void passOver(RedisTimer timer) {
        if (timer.state != RedisTimer.State.LOADED) {
            throw new IllegalStateException(timer.key() + " is " + timer.state + ", must be loaded");
        }
        timer.state = RedisTimer.State.GONE;
        letGo(timer);
        if (loading.covers(timer.attemptAtMs)) {
            loading.pass(node.lanes.of(timer.lane()), timer.attemptAtMs);
        }
    }

    void unloadAll() {
        for (RedisTimer timer : List.copyOf(loaded.values())) {
            unload(timer);
        }
    }

    /** A slice that is not empty although everything in it was due to be loaded, and nothing of it is: something went wrong. */
    void checkLowest(String slice) {
        if (slice.isEmpty() || Layout.sliceToMs(slice) > loading.lookedTo()) {
            return;
        }
        long fromMs = Layout.sliceFromMs(slice);
        long toMs = Layout.sliceToMs(slice);
        boolean explained =
                loaded.values().stream().anyMatch(timer -> timer.attemptAtMs >= fromMs && timer.attemptAtMs < toMs)
                        || node.lanes.isPassed(partition, toMs);
        if (!explained) {
            LOG.warn(
                    "partition {}: slice {} has timers that are not loaded; loading everything again",
                    partition,
                    slice);
            loading.reload();
        }
    }

    // ---- claims

    /** @param sentNanos when it was asked for */
    void granted(RedisTimer timer, long token, long sentNanos, TimerRecord record, Consumer<ClaimedTimer> granted) {
        if (timer.state != RedisTimer.State.LOADED) {
            // It was unloaded since it was asked for.
            giveBackUnused(timer, token);
            return;
        }
        if (node.nowNanos() - sentNanos >= node.leaseNanos
                && commands.sinceServedMs() >= node.leaseNanos / NANOS_A_MS) {
            // This node stood still until it had run out: others may have made the attempt since, or answered a cancel.
            giveBackUnused(timer, token);
            unload(timer);
            return;
        }
        timer.token = token;
        timer.seq = record.seq();
        letGo(timer);
        claimed.put(name(timer.field), timer);
        timer.state = RedisTimer.State.CLAIMED;
        timer.replaced = false;
        timer.cancelled = false;
        timer.heldNanos = sentNanos;
        granted.accept(new ClaimedTimer(timer, record.view(timer.key(), partition), record.content(), token));
    }

    /** Gives back a claim, granted or not, of which nobody knows any more: it was no attempt, and nobody waits until it runs out. */
    void giveBackUnused(RedisTimer timer, long token) {
        timer.token = token;
        commands.add(ClaimCommand.GiveBack.release(this, timer, node.durability, node.claimDeadline()));
    }

    /** Ends a claim; returns whether no other timer took its place. */
    boolean end(RedisTimer timer) {
        if (timer.state != RedisTimer.State.CLAIMED) {
            throw new IllegalStateException(timer.key() + " is " + timer.state + ", must be claimed");
        }
        timer.state = RedisTimer.State.GONE;
        claimed.remove(name(timer.field), timer);
        return !timer.replaced;
    }

    /** A claim that was to end holds on. */
    void holdsOn(RedisTimer timer) {
        timer.state = RedisTimer.State.CLAIMED;
        claimed.put(name(timer.field), timer);
    }

    /** A claim is given back by its holder, who keeps the timer in its index. */
    boolean release(RedisTimer timer) {
        boolean stays = end(timer);
        commands.add(ClaimCommand.GiveBack.release(this, timer, node.durability, node.claimDeadline()));
        if (!stays || timer.cancelled || !lease.isOwned()) {
            return false;
        }
        hold(timer, node.lanes.of(timer.lane()), Age.of(timer.attemptAtMs, node.loadNowMs()));
        return true;
    }

    /** Makes claims hold on that run for long. */
    void extend(long nowNanos) {
        for (RedisTimer timer : claimed.values()) {
            if (nowNanos - timer.heldNanos >= node.leaseNanos / 3 && !timer.replaced) {
                timer.heldNanos = nowNanos;
                commands.add(
                        new ClaimCommand.Extend(this, timer, nowNanos, node.durability, nowNanos + node.leaseNanos));
            }
        }
    }

    /** Takes the fields of claims that have run out. */
    void reap(List<?> fields) {
        for (Object each : fields) {
            byte[] field = (byte[]) each;
            RedisTimer running = claimed.get(name(field));
            if (running != null && !running.replaced) {
                // Of this very process, which was held up.
                running.heldNanos = node.nowNanos() - node.leaseNanos;
            } else {
                commands.add(new ClaimCommand.Reap(this, field, node.durability, node.nowNanos() + node.leaseNanos));
            }
        }
    }

    // ---- what commands find

    /** Something became of a claim that whoever made it did not ask for. */
    void say(byte[] field, String what) {
        node.claimLog.say(Layout.timerKey(field) + ": " + what, node.nowNanos());
    }

    /** What became of a claim is not known. */
    void warn(byte[] field, String what) {
        node.claimWarnings.say(Layout.timerKey(field) + ": " + what, node.nowNanos());
    }

    int partition() {
        return partition;
    }

    /** The monotonic clock, as of this turn. */
    long nowNanos() {
        return node.nowNanos();
    }

    /** Has everything loaded again: it is not known what stands there. */
    void reload() {
        loading.reload();
    }

    /** Sends a claim again that its server said is not due yet, when it may be. */
    void tryAgainWhenDue(ClaimCommand command, long dueAtMs) {
        commands.tryAgainWhenDue(command, dueAtMs);
    }

    /** Another node owns the partition. */
    void lost() {
        lease.lose("another node owns it");
    }

    private static String name(byte[] field) {
        return new String(field, StandardCharsets.ISO_8859_1);
    }
}
