package io.tickwheel.store.redis.partition;

import io.tickwheel.store.Durability;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Text;
import io.tickwheel.store.redis.layout.Values;
import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.Reply;
import io.tickwheel.store.redis.link.Script;
import io.tickwheel.store.redis.loading.Front;
import io.tickwheel.store.redis.loading.Loading;
import io.tickwheel.store.redis.loading.Piece;
import io.tickwheel.store.redis.loading.RedisLane;
import io.tickwheel.store.redis.loading.RedisLanes;
import io.tickwheel.store.redis.loading.Seen;
import io.tickwheel.store.redis.loading.SeenTimer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the owner of a partition does again and again, in one call: it renews the lease, takes the near inserts, learns which
 * claims have run out, and loads a piece of what is due soon or was passed over. Used by the loop only.
 */
final class OwnerWork {

    private static final Script TEND = Script.named("tend");

    private static final int HINTS_A_CALL = 256;
    private static final int GROUPS = 8;
    private static final int MOST_SLICES = 48;
    private static final long NEAR_SLICE_MS = 1 << 16;

    /** A range of more slices than these is not guessed: the server says which there are. */
    private static final int MOST_GUESSED = 8;

    /** So many queues are looked for with a renewal: a lane may have no timers any more. */
    private static final int QUEUES_A_RENEWAL = 16;

    /** What a content has at most as long as no larger one was scheduled to a partition. */
    private static final int SMALL_BYTES = 4_096;

    private final Partition partition;
    private final Lease lease;
    private final Loading loading;
    private final LoadedTimers timers;
    private final NodeContext node;
    private final List<byte[]> tendKeys;
    private final RedisLanes.Look look = new RedisLanes.Look();
    private long nextNanos;
    private boolean hinted;

    /** Numbers the calls: the server carries out none behind a later one. */
    private long calls;

    OwnerWork(Partition partition, Lease lease, NodeContext node) {
        this.partition = partition;
        this.lease = lease;
        this.loading = partition.loading;
        this.timers = partition.timers;
        this.node = node;
        this.tendKeys = node.layout.keys(partition.index, "m", "n", "f", "i", "r", "q");
    }

    /** Takes that near inserts wait. */
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
        Piece piece = loading.next(due);
        if (piece == null && !hinted && !due) {
            return null;
        }
        List<RedisLane> stuck = due ? node.lanes.someStuck(partition.index, look, QUEUES_A_RENEWAL) : List.of();
        nextNanos = followingNanos(nowNanos);
        hinted = false;
        return call(piece, stuck);
    }

    /**
     * More than twice a lease, and together with others: every reply wakes a thread, which costs more than the call. Eight groups take
     * turns, so that the server is not held up by all at once.
     */
    private long followingNanos(long nowNanos) {
        long period = node.leaseNanos / 5 * 2;
        long phase = period / GROUPS * (partition.index % GROUPS);
        return nowNanos + period - Math.floorMod(nowNanos - phase, period);
    }

    private Tend call(@Nullable Piece piece, List<RedisLane> stuck) {
        List<byte[]> keys = new ArrayList<>(tendKeys);
        List<byte[]> arguments = new ArrayList<>();
        arguments.add(Text.bytes(lease.epoch()));
        arguments.add(node.leaseText);
        arguments.add(node.scriptDeadline());
        arguments.add(Text.bytes(HINTS_A_CALL));
        if (piece == null) {
            arguments.addAll(
                    List.of(Text.ZERO, Front.NO_MARK, Text.ZERO, Text.ZERO, Text.ZERO, Front.NO_MARK, Text.ZERO));
        } else {
            arguments.add(Text.bytes(piece.fromMs()));
            arguments.add(piece.mark());
            arguments.add(Text.bytes(piece.toMs()));
            arguments.add(Text.bytes(piece.most()));
            arguments.add(Text.bytes(piece.looks()));
            arguments.add(Text.bytes(piece.isCatchUp() ? "+" : piece.lanes().isEmpty() ? "" : "-"));
            arguments.add(Text.bytes(piece.lanes().size()));
        }
        arguments.add(Text.bytes(stuck.size()));
        arguments.add(Text.bytes(++calls));
        if (piece != null) {
            piece.lanes().forEach(lane -> arguments.add(lane.prefix));
        }
        stuck.forEach(lane -> arguments.add(Layout.bytes(lane.lane.queue())));
        if (piece != null) {
            for (String slice : slices(piece)) {
                keys.add(node.layout.key(partition.index, Layout.sliceKey(slice)));
                arguments.add(Text.bytes(slice));
            }
        }
        return new Tend(piece, stuck, keys, arguments);
    }

    /** Those that may lie in a piece; the script says which others do. */
    private Set<String> slices(Piece piece) {
        Set<String> slices = new LinkedHashSet<>(loading.touched(piece.kind()));
        if (piece.fromMs() != Loading.BEGINNING_MS) {
            TimerCommand.addBoth(slices, piece.fromMs());
            if (piece.toMs() - piece.fromMs() <= MOST_GUESSED * NEAR_SLICE_MS) {
                for (long at = piece.fromMs(); slices.size() < MOST_SLICES && at < piece.toMs(); at += NEAR_SLICE_MS) {
                    TimerCommand.addBoth(slices, at);
                }
                TimerCommand.addBoth(slices, piece.toMs() - 1);
            }
        }
        return slices;
    }

    private final class Tend extends Call {

        private final @Nullable Piece piece;
        private final List<RedisLane> stuck;

        Tend(@Nullable Piece piece, List<RedisLane> stuck, List<byte[]> keys, List<byte[]> arguments) {
            super(partition.slot(), TEND, keys, arguments, Durability.MEMORY);
            this.piece = piece;
            this.stuck = stuck;
        }

        @Override
        public void answered(Reply reply) {
            partition.landed(this, reply);
            if (reply.outcome() == Reply.Outcome.DONE
                    && reply.value() instanceof List<?> answer
                    && (Long) answer.get(1) == 0) {
                partition.tended((Long) answer.get(2), reply.connection());
                take(new Values(answer.subList(3, answer.size())));
                return;
            }
            if (piece != null) {
                loading.failed(piece);
            }
            if (reply.outcome() == Reply.Outcome.DONE && reply.value() instanceof List<?> answer) {
                if ((Long) answer.get(1) == 1) {
                    lease.lose("another node took it");
                } else if ((Long) answer.get(1) == 3) {
                    partition.vanished(reply.connection());
                } else {
                    // Nothing was done: neither the lease nor the near inserts can wait for the next period.
                    nextNanos = node.nowNanos();
                    node.doubtTime();
                    partition.pause();
                }
                return;
            }
            if (reply.outcome() != Reply.Outcome.UNAVAILABLE) {
                // Near inserts may have been taken.
                loading.reload();
            }
            if (reply.outcome() == Reply.Outcome.REFUSED || reply.outcome() == Reply.Outcome.FULL) {
                partition.complain(reply);
            }
            nextNanos = node.nowNanos();
            partition.pause();
        }

        private void take(Values answer) {
            List<?> near = answer.list();
            List<?> over = answer.list();
            String lowest = answer.text();
            Values gone = new Values(answer.list());
            boolean isStill = !takePiece(answer, near);
            hinted |= near.size() == 2 * HINTS_A_CALL || over.size() == HINTS_A_CALL;
            timers.reap(over);
            if (!lease.isOwned()) {
                return;
            }
            if (isStill) {
                // Nothing has changed, and nothing will at once.
                partition.pauseBriefly();
            }
            while (gone.hasNext()) {
                String queue = gone.text();
                stuck.stream().filter(lane -> lane.lane.queue().equals(queue)).forEach(loading::clear);
            }
            if (!hinted && !partition.hasWaiting()) {
                timers.checkLowest(lowest);
            }
        }

        /** Takes what was looked through, then the near inserts; returns whether there was no piece, or it came to something. */
        private boolean takePiece(Values answer, List<?> near) {
            List<String> touched = answer.list().stream()
                    .map(each -> Text.string((byte[]) each))
                    .toList();
            long reachedMs = answer.integer();
            byte[] mark = answer.bytes();
            answer.integer(); // how many members it looked at: for who watches the traffic
            Values members = new Values(answer.list());
            Values dues = new Values(answer.list());
            Values sizes = new Values(answer.list());
            List<SeenTimer> inserted = new ArrayList<>();
            Values nears = new Values(near);
            while (nears.hasNext()) {
                inserted.add(new SeenTimer(nears.bytes(), nears.number(), size(sizes)));
            }
            List<SeenTimer> loaded = new ArrayList<>();
            while (members.hasNext()) {
                loaded.add(new SeenTimer(members.bytes(), dues.number(), size(sizes)));
            }
            Seen seen = new Seen(reachedMs, mark, touched, loaded);
            boolean changed = piece == null || loading.take(piece, seen, timers);
            inserted.forEach(timers::meet);
            return changed;
        }

        private static int size(Values sizes) {
            return sizes.hasNext() ? Math.toIntExact(sizes.integer()) : SMALL_BYTES;
        }
    }
}
