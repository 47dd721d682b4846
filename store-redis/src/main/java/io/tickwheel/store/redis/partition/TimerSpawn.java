package io.tickwheel.store.redis.partition;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Durability;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.SpawnCommand;
import io.tickwheel.store.Spawned;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Member;
import io.tickwheel.store.redis.layout.TimerRecord;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.function.LongPredicate;

/** Ends the claim of a plan, which comes again, and makes its run: both timers are of one partition. */
final class TimerSpawn extends ClientCommand<Spawned> {

    private static final byte[] NOTHING = {};

    private final SpawnCommand wish;
    private final RedisTimer plan;
    private final boolean far;
    private final boolean runFar;
    private final long operation;
    private final byte[] run;

    /**
     * @param plan whose claim this node holds no longer
     * @param isFar whether what is due then lies far ahead, so that its slice is a wide one
     * @param operation by which a repeat of it is known
     */
    TimerSpawn(
            SpawnCommand wish,
            RedisTimer plan,
            LoadedTimers timers,
            Durability level,
            long deadlineNanos,
            LongPredicate isFar,
            long operation,
            Answer<Spawned> answer,
            Runnable ended) {
        super(plan.key(), plan.field, timers, level, deadlineNanos, answer, ended);
        this.wish = wish;
        this.plan = plan;
        this.far = isFar.test(wish.dueAtMs());
        this.operation = operation;
        ScheduleCommand spawned = wish.spawned();
        this.runFar = spawned != null && isFar.test(spawned.dueAtMs());
        this.run = spawned == null ? NOTHING : Layout.field(spawned.key());
    }

    @Override
    boolean changesForAClient() {
        return true;
    }

    /** A plan that only comes again is to go on when there is no memory. */
    @Override
    boolean takesMemory() {
        return wish.spawned() != null;
    }

    @Override
    void addSlices(Set<String> slices) {
        slices.add(Layout.slice(far, wish.dueAtMs()));
        ScheduleCommand spawned = wish.spawned();
        if (spawned != null) {
            slices.add(Layout.slice(runFar, spawned.dueAtMs()));
        }
    }

    private static byte flag(boolean is) {
        return (byte) (is ? 1 : 0);
    }

    @Override
    char letter() {
        return 'N';
    }

    @Override
    int length() {
        int bytes = 2 * Long.BYTES + Short.BYTES + run.length + 1 + Long.BYTES + Integer.BYTES + wish.content().length;
        ScheduleCommand spawned = wish.spawned();
        if (spawned != null) {
            int hash = spawned.requestHash() == 0 ? 0 : Long.BYTES;
            bytes += 1 + Long.BYTES + 1 + Member.prefix(spawned.route()).length + hash + spawned.content().length;
        }
        return bytes;
    }

    @Override
    void write(ByteBuffer out) {
        out.putLong(operation).putLong(plan.token);
        out.putShort((short) run.length).put(run);
        out.put(flag(far)).putLong(wish.dueAtMs());
        out.putInt(wish.content().length).put(wish.content());
        ScheduleCommand spawned = wish.spawned();
        if (spawned != null) {
            boolean hasHash = spawned.requestHash() != 0;
            out.put(flag(runFar)).putLong(spawned.dueAtMs());
            out.put(parts(hasHash, null)).put(Member.prefix(spawned.route()));
            if (hasHash) {
                out.putLong(spawned.requestHash());
            }
            out.put(spawned.content());
        }
    }

    @Override
    void answered(char letter, ByteBuffer rest) {
        switch (letter) {
            case 'O' -> {
                if (!maybeApplied) {
                    timers.holdsOn(plan);
                }
                failFull();
            }
            case 'Y' -> failOver(rest);
            case 'D' -> {
                int length = rest.getShort() & 0xffff;
                TimerRecord next = TimerRecord.read(rest.slice().limit(length));
                rest.position(rest.position() + length);
                stands(next, wish.content().length);
                ScheduleCommand spawned = wish.spawned();
                give(new Spawned(view(next), spawned == null ? null : run(spawned, rest)));
            }
            default -> throw new IllegalStateException("a spawn was answered " + letter);
        }
    }

    /** Fails as the claim is over; {@code rest} has what stands there, or nothing. */
    private void failOver(ByteBuffer rest) {
        if (maybeApplied) {
            // It may have ended the claim itself, and what was answered then is not known any more.
            failed(new StoreUnavailableException("its claim was over when it was asked for again", true));
        } else {
            failOther(Layout.id(Layout.number(plan.seq, plan.partition)), rest);
        }
    }

    private Scheduled run(ScheduleCommand spawned, ByteBuffer rest) {
        boolean made = rest.get() == 'C';
        Scheduled.Previous previous = Schedule.previous(rest.get());
        TimerRecord standing = TimerRecord.read(rest);
        // What was made by a repeat is loaded with everything else.
        if (made && !maybeApplied) {
            timers.stands(run, standing, spawned.content().length);
        }
        Scheduled.Outcome outcome = made ? Scheduled.Outcome.CREATED : Scheduled.Outcome.KEPT;
        return new Scheduled(
                outcome, standing.view(spawned.key(), timers.partition()), previous, standing.requestHash());
    }
}
