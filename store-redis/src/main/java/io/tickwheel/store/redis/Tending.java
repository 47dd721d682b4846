package io.tickwheel.store.redis;

import io.tickwheel.store.Durability;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the owner of a partition does again and again, in one call: it renews the lease, takes the near inserts, learns which
 * claims have run out, and loads what is due soon. Used by the loop only.
 */
final class Tending {

    private static final Script TEND = Script.named("tend");

    /** A call to load must see over what is loaded already. */
    private static final int MOST_LOADS_A_CALL = 4_096;

    private static final int HINTS_A_CALL = 256;
    private static final int GROUPS = 8;
    private static final int MOST_SLICES = 48;
    private static final long NEAR_SLICE_MS = 1 << 16;

    private final Partition partition;
    private final Holdings holdings;
    private final RedisCalendar calendar;
    private final List<byte[]> tendKeys;
    private long nextNanos;
    private boolean hinted;

    /** The slices that the last range touched. */
    private List<String> touched = List.of();

    Tending(Partition partition, RedisCalendar calendar, List<byte[]> tendKeys) {
        this.partition = partition;
        this.holdings = partition.holdings;
        this.calendar = calendar;
        this.tendKeys = tendKeys;
    }

    /** Says that near inserts wait. */
    void hint() {
        hinted = true;
    }

    /** The lease is as old as this. */
    void ownedAt(long nanos) {
        nextNanos = nanos;
    }

    /** The call that is needed now, or null. */
    @Nullable
    Call next(long nowNanos) {
        boolean due = nowNanos - nextNanos >= 0;
        Holdings.Range range = holdings.nextRange(nowNanos, due);
        if (range == null && !hinted && !due) {
            return null;
        }
        nextNanos = followingNanos(nowNanos);
        hinted = false;
        return call(range);
    }

    /**
     * More than twice a lease, and together with others: every reply wakes a thread, which costs more than the call. Eight groups take
     * turns, so that the server is not held up by all at once.
     */
    private long followingNanos(long nowNanos) {
        long period = calendar.leaseNanos / 5 * 2;
        long phase = period / GROUPS * (partition.index % GROUPS);
        return nowNanos + period - Math.floorMod(nowNanos - phase, period);
    }

    private Tend call(Holdings.@Nullable Range range) {
        List<byte[]> keys = new ArrayList<>(tendKeys);
        List<byte[]> arguments = new ArrayList<>();
        arguments.add(Text.bytes(partition.epoch()));
        arguments.add(calendar.leaseText);
        arguments.add(calendar.scriptDeadline());
        arguments.add(Text.bytes(HINTS_A_CALL));
        if (range == null) {
            arguments.addAll(List.of(Text.ZERO, Text.ZERO, Text.ZERO));
        } else {
            // Those that are loaded already are seen again when the way back led behind them.
            int seenAgain = holdings.seenAgain(range);
            arguments.add(Text.bytes(range.fromMs()));
            arguments.add(Text.bytes(range.toMs()));
            arguments.add(Text.bytes(Math.min(MOST_LOADS_A_CALL, range.room() + seenAgain)));
            for (String slice : slices(range)) {
                keys.add(calendar.layout.key(partition.index, "z" + slice));
                arguments.add(Text.bytes(slice));
            }
        }
        return new Tend(range, keys, arguments);
    }

    /** Those that may lie in a range; the script says which others do. */
    private Set<String> slices(Holdings.Range range) {
        Set<String> slices = new LinkedHashSet<>(touched);
        if (!range.isFromTheBeginning()) {
            for (long at = range.fromMs(); slices.size() < MOST_SLICES && at < range.toMs(); at += NEAR_SLICE_MS) {
                TimerCommand.addBoth(slices, at);
            }
            TimerCommand.addBoth(slices, range.toMs() - 1);
        }
        return slices;
    }

    private final class Tend extends Call {

        private final Holdings.@Nullable Range range;

        Tend(Holdings.@Nullable Range range, List<byte[]> keys, List<byte[]> arguments) {
            super(partition.slot(), TEND, keys, arguments, Durability.MEMORY);
            this.range = range;
        }

        @Override
        void answered(Reply reply) {
            if (range != null) {
                calendar.room.giveBack(range.room());
            }
            partition.landed(this, reply);
            if (reply.outcome() != Reply.Outcome.DONE || !(reply.value() instanceof List<?> answer)) {
                if (reply.outcome() != Reply.Outcome.UNAVAILABLE) {
                    // Near inserts may have been taken.
                    holdings.reload();
                }
                if (reply.outcome() == Reply.Outcome.REFUSED || reply.outcome() == Reply.Outcome.FULL) {
                    partition.complain(reply);
                }
                nextNanos = calendar.nowNanos();
                partition.pause();
                return;
            }
            long state = (Long) answer.get(1);
            if (state == 0) {
                partition.tended((Long) answer.get(2));
                take(answer);
            } else if (state == 1) {
                partition.lost("another node took it");
            } else {
                calendar.doubtTime();
                partition.pause();
            }
        }

        private void take(List<?> answer) {
            List<?> near = (List<?>) answer.get(3);
            hinted |= near.size() == 2 * HINTS_A_CALL;
            for (int i = 0; i < near.size(); i += 2) {
                holdings.meet((byte[]) near.get(i), Text.number((byte[]) near.get(i + 1)));
            }
            List<?> over = (List<?>) answer.get(4);
            hinted |= over.size() == HINTS_A_CALL;
            holdings.reap(over);
            if (!partition.isOwned()) {
                return;
            }
            if (range != null) {
                take(range, answer);
            }
            if (!hinted && !partition.hasWaiting()) {
                holdings.checkLowest(Text.string((byte[]) answer.get(8)));
            }
        }

        private void take(Holdings.Range loaded, List<?> answer) {
            List<String> before = touched;
            long loadedTo = holdings.loadedTo();
            touched = ((List<?>) answer.get(5))
                    .stream().map(each -> Text.string((byte[]) each)).toList();
            List<?> entries = (List<?>) answer.get(7);
            holdings.take(loaded, (Long) answer.get(6), entries);
            if (entries.isEmpty() && touched.equals(before) && loadedTo == holdings.loadedTo()) {
                // Nothing has changed, and nothing will at once.
                partition.pauseBriefly();
            }
        }
    }
}
