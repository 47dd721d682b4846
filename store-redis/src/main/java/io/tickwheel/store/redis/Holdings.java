package io.tickwheel.store.redis;

import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.TimerState;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this node holds of a partition: the timers that it has loaded, while it owns the partition, and those that it has claimed.
 *
 * <p><b>What is loaded</b> is everything due before {@link #loadedTo}: {@code scannedTo}, unless something before it was passed
 * over for want of room. When a backlog keeps that behind the present, a second range around the present is loaded too, so that
 * fresh timers do not wait behind the backlog.
 *
 * <p>Nothing that is loaded is trusted: a claim finds out. Used by the loop only.
 */
final class Holdings {

    private static final Logger LOG = LoggerFactory.getLogger(Holdings.class);

    private static final int LOADS_A_CALL = 512;

    /** With the renewals of the lease, of which many come in one turn, and share the room of that turn. */
    private static final int LOADS_A_RENEWAL = 96;

    /** How much more is loaded at most than was asked for, so that it comes with the renewals of the lease. */
    private static final long MOST_AHEAD_MS = 4_000;

    /** What is overdue by more than this is backlog. */
    private static final long LATELY_MS = 500;

    /** When those are looked at again that there was no room for, once there is some. */
    private static final long PASSED_OVER_AGAIN_NANOS = 100_000_000;

    /** When they are looked at again though the last of them has no room in its queue; others may have. */
    private static final long PASSED_OVER_ANYWAY_NANOS = 10_000_000_000L;

    /** Before anything that is due. */
    private static final long BEGINNING_MS = -Layout.FARTHEST_MS - 1;

    private final RedisCalendar calendar;
    private final Partition partition;
    private final long aheadMs;
    private final Map<String, RedisTimer> loaded = new HashMap<>();
    private final Map<String, RedisTimer> claimed = new HashMap<>();
    private long wantedToMs = Long.MIN_VALUE;
    private long scannedTo = BEGINNING_MS;
    private long passedOverMs = Long.MAX_VALUE;
    private long passedOverNanos;
    private String passedOverQueue = "";
    private int reloads;
    private long freshFrom;
    private long freshTo;
    private long lastLoadedDueMs = Long.MIN_VALUE;

    /** Nothing is loaded while more than so many are. */
    private int crowded = Integer.MAX_VALUE;

    Holdings(RedisCalendar calendar, Partition partition) {
        this.calendar = calendar;
        this.partition = partition;
        this.aheadMs = Math.min(MOST_AHEAD_MS, calendar.leaseNanos / 1_000_000 * 2 / 3);
    }

    /** Everything due before this is loaded. */
    long loadedTo() {
        return Math.min(scannedTo, passedOverMs);
    }

    void wantLoaded(long toMs) {
        wantedToMs = toMs;
    }

    @Nullable
    RedisTimer known(byte[] field) {
        String name = name(field);
        RedisTimer timer = loaded.get(name);
        return timer != null ? timer : claimed.get(name);
    }

    /** Loads everything again. */
    void reload() {
        reloads++;
        scannedTo = BEGINNING_MS;
        passedOverMs = Long.MAX_VALUE;
        freshFrom = 0;
        freshTo = 0;
        crowded = Integer.MAX_VALUE;
    }

    /**
     * What to load next; null for nothing, or nothing now.
     *
     * @param isTended whether a call is made anyway, so that it may load more than is needed by now
     */
    @Nullable
    Range nextRange(long nowNanos, boolean isTended) {
        if (passedOverMs < Long.MAX_VALUE && mayLookAgain(nowNanos - passedOverNanos)) {
            scannedTo = Math.min(scannedTo, passedOverMs);
            passedOverMs = Long.MAX_VALUE;
            // Some of those that were passed over may lie in there.
            freshFrom = 0;
            freshTo = 0;
        }
        long goalMs = wantedToMs + aheadMs;
        if (scannedTo >= (isTended ? goalMs : wantedToMs)) {
            return null;
        }
        long lately = calendar.loadNowMs() - LATELY_MS;
        boolean behind = scannedTo > BEGINNING_MS && scannedTo < lately;
        boolean fresh = behind && freshTo < wantedToMs;
        if (!fresh && loaded.size() > crowded) {
            return null;
        }
        crowded = Integer.MAX_VALUE;
        int limit = calendar.room.ask(isTended && scannedTo >= wantedToMs ? LOADS_A_RENEWAL : LOADS_A_CALL);
        if (limit == 0) {
            return null;
        }
        if (fresh) {
            return new Range(Math.max(lately, freshTo), goalMs, limit, true, reloads);
        }
        return new Range(scannedTo, goalMs, limit, false, reloads);
    }

    private boolean mayLookAgain(long sinceNanos) {
        if (sinceNanos < PASSED_OVER_AGAIN_NANOS || calendar.room.isFull()) {
            return false;
        }
        return !calendar.room.isFullFor(passedOverQueue) || sinceNanos >= PASSED_OVER_ANYWAY_NANOS;
    }

    /**
     * Due times to load.
     *
     * @param room how many of them there is room for
     * @param fresh whether it is the second range
     * @param reloads how often loading had begun again before it: if that has changed, it counts for nothing
     */
    record Range(long fromMs, long toMs, int room, boolean fresh, int reloads) {

        /** Whether it begins before everything, so that its slices cannot be told from it. */
        boolean isFromTheBeginning() {
            return fromMs == BEGINNING_MS;
        }
    }

    /** How many of a range may be loaded already, and are seen again: it began behind the last one that was loaded. */
    int seenAgain(Range range) {
        return range.fromMs <= lastLoadedDueMs ? loaded.size() : 0;
    }

    /**
     * Takes what a range holds.
     *
     * @param toMs up to where that is everything
     * @param entries fields and due times, by turns, in the order of the due times
     */
    void take(Range range, long toMs, List<?> entries) {
        if (range.reloads != reloads) {
            return;
        }
        long reached = toMs;
        int before = loaded.size();
        for (int i = 0; i < entries.size(); i += 2) {
            byte[] field = (byte[]) entries.get(i);
            long dueAtMs = Text.number((byte[]) entries.get(i + 1));
            if (calendar.room.isFull() && !loaded.containsKey(name(field))) {
                // The rest waits for room.
                reached = dueAtMs;
                break;
            }
            arrive(field, dueAtMs);
        }
        if (!range.fresh) {
            if (reached == range.fromMs && !entries.isEmpty() && loaded.size() == before) {
                // All that a call can see are due at the same moment, and are loaded: the others come when some have
                // gone.
                crowded = loaded.size() / 2;
            }
            scannedTo = reached;
        } else {
            freshFrom = freshTo == 0 || range.fromMs > freshTo ? range.fromMs : freshFrom;
            freshTo = Math.max(range.fromMs, reached);
        }
        if (freshTo > 0 && scannedTo >= freshFrom) {
            scannedTo = Math.max(scannedTo, freshTo);
            freshFrom = 0;
            freshTo = 0;
        }
    }

    /** A slice that is not empty although everything in it was due to be loaded, and nothing of it is: something went wrong. */
    void checkLowest(String slice) {
        if (slice.isEmpty() || Layout.sliceToMs(slice) > loadedTo()) {
            return;
        }
        long fromMs = Layout.sliceFromMs(slice);
        long toMs = Layout.sliceToMs(slice);
        boolean explained = loaded.values().stream().anyMatch(timer -> timer.dueAtMs >= fromMs && timer.dueAtMs < toMs);
        if (!explained) {
            LOG.warn(
                    "partition {}: slice {} has timers that are not loaded; loading everything again",
                    partition.index,
                    slice);
            reload();
        }
    }

    /** A pending timer was seen there: loads it if it is due in the range that is loaded. */
    void meet(byte[] field, long dueAtMs) {
        boolean inRange = dueAtMs < scannedTo || (dueAtMs >= freshFrom && dueAtMs < freshTo);
        if (partition.isOwned() && inRange) {
            arrive(field, dueAtMs);
        } else {
            forget(field, dueAtMs);
        }
    }

    /** Lets go of a loaded timer that is due at another time now. */
    private void forget(byte[] field, long dueAtMs) {
        RedisTimer known = loaded.get(name(field));
        if (known != null && known.dueAtMs != dueAtMs) {
            unload(known);
        }
    }

    private void arrive(byte[] field, long dueAtMs) {
        String name = name(field);
        forget(field, dueAtMs);
        if (loaded.containsKey(name)) {
            return;
        }
        RedisTimer running = claimed.get(name);
        if (running != null) {
            running.replaced = true;
        }
        RedisTimer timer = new RedisTimer(partition, field, dueAtMs);
        if (calendar.room.isFull() || calendar.room.isFullFor(timer.queue)) {
            if (dueAtMs < passedOverMs) {
                passedOverMs = dueAtMs;
            }
            passedOverNanos = calendar.nowNanos();
            passedOverQueue = timer.queue;
            return;
        }
        loaded.put(name, timer);
        lastLoadedDueMs = Math.max(lastLoadedDueMs, dueAtMs);
        calendar.room.loaded(timer.queue);
        calendar.listener.loaded(timer);
    }

    /** What stands under a key now, after a command of this node. */
    void stands(byte[] field, TimerRecord record) {
        if (record.state() == TimerState.PENDING) {
            if (partition.isOwned()) {
                RedisTimer known = loaded.get(name(field));
                if (known != null) {
                    // Another timer, even if it is due at the same time.
                    unload(known);
                }
                RedisTimer running = claimed.get(name(field));
                if (running != null) {
                    running.replaced = true;
                }
                meet(field, record.dueAtMs());
            }
            return;
        }
        RedisTimer known = loaded.get(name(field));
        if (known != null) {
            unload(known);
        }
    }

    /** A timer is pending again as it was before its claim. */
    void back(byte[] field, TimerRecord record) {
        RedisTimer known = loaded.get(name(field));
        if (known == null || known.dueAtMs != record.dueAtMs()) {
            stands(field, record);
        }
    }

    void unload(RedisTimer timer) {
        if (timer.state == RedisTimer.State.LOADED) {
            timer.state = RedisTimer.State.GONE;
            loaded.remove(name(timer.field), timer);
            calendar.room.unloaded(timer.queue);
            calendar.listener.unloaded(timer);
        }
    }

    void unloadAll() {
        for (RedisTimer timer : List.copyOf(loaded.values())) {
            unload(timer);
        }
    }

    // ---- claims

    void granted(RedisTimer timer, long token, TimerRecord record, Consumer<ClaimedTimer> granted) {
        timer.token = token;
        if (timer.state != RedisTimer.State.LOADED) {
            // It was unloaded since it was asked for.
            partition.add(ClaimCommand.GiveBack.release(timer, calendar.durability(), calendar.claimDeadline()));
            return;
        }
        String name = name(timer.field);
        loaded.remove(name);
        calendar.room.unloaded(timer.queue);
        claimed.put(name, timer);
        timer.state = RedisTimer.State.CLAIMED;
        timer.replaced = false;
        timer.heldNanos = calendar.nowNanos();
        granted.accept(new ClaimedTimer(timer, record.view(timer.key(), partition.index), record.content()));
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

    /** A claim is given back by its holder, who keeps the timer in its index. */
    boolean release(RedisTimer timer) {
        boolean stays = end(timer);
        partition.add(ClaimCommand.GiveBack.release(timer, calendar.durability(), calendar.claimDeadline()));
        if (!stays || !partition.isOwned()) {
            return false;
        }
        timer.state = RedisTimer.State.LOADED;
        loaded.put(name(timer.field), timer);
        calendar.room.loadedAgain(timer.queue);
        return true;
    }

    /** Makes claims hold on that run for long. */
    void extend(long nowNanos) {
        for (RedisTimer timer : claimed.values()) {
            if (nowNanos - timer.heldNanos >= calendar.leaseNanos / 3 && !timer.replaced) {
                timer.heldNanos = nowNanos;
                partition.add(new ClaimCommand.Extend(
                        timer, nowNanos, calendar.durability(), nowNanos + calendar.leaseNanos));
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
                running.heldNanos = calendar.nowNanos() - calendar.leaseNanos;
            } else {
                partition.add(new ClaimCommand.Reap(
                        partition, field, calendar.durability(), calendar.nowNanos() + calendar.leaseNanos));
            }
        }
    }

    private static String name(byte[] field) {
        return new String(field, StandardCharsets.ISO_8859_1);
    }
}
