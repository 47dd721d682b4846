package io.tickwheel.store.redis;

import static io.tickwheel.store.redis.RedisLedger.check;

import io.tickwheel.store.Durability;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.redis.SimulatedMaster.Look;
import io.tickwheel.store.redis.SimulatedMaster.Owner;
import io.tickwheel.store.redis.SimulatedWish.Kind;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.TimerRecord;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What one call, which may carry several commands on the same timer, may do to it. */
final class SimulatedSteps {

    private static final int SOON_FORGOTTEN = 100;

    /** Who asked for an attempt, and when it was granted; the least number when that is not known. */
    private record Claim(@Nullable SimulatedLink link, long madeMs) {}

    private final long leaseMs;
    private final boolean forgetsSoon;

    /** Whether what nodes do outlives a failover. */
    private final boolean isDurable;

    private boolean clocksAreSet;

    /** By their tokens. */
    private final Map<Long, Claim> claims = new HashMap<>();

    /** How nodes have ended their claims. */
    private final Set<String> ends = new HashSet<>();

    SimulatedSteps(RedisOptions options) {
        leaseMs = options.lease().toMillis();
        forgetsSoon = options.finishedRemembered() < SOON_FORGOTTEN;
        isDurable = !options.durability().equals(Durability.MEMORY);
    }

    /** Whether a timer may be forgotten by the very call that ends it. */
    boolean forgetsSoon() {
        return forgetsSoon;
    }

    /** A claim holds for a lease at least, from when it was made. */
    void checkHold(String key, SimulatedTimer standing, Look look) {
        Claim claim = claims.get(token(standing));
        if (standing.is(TimerState.CLAIMED) && claim != null && claim.madeMs != Long.MIN_VALUE && !clocksAreSet) {
            double untilMs = look.heldUntil().getOrDefault(key, 0.0);
            check(untilMs >= claim.madeMs + leaseMs, "it holds until " + (long) untilMs + ": " + standing);
        }
    }

    /** Times of before do not count any more. */
    void clocksAreSet() {
        clocksAreSet = true;
    }

    void ended(String id, TimerState state) {
        ends.add(id + " " + state);
    }

    void retried(String id, long attemptAtMs) {
        ends.add(id + " " + attemptAtMs);
    }

    void forgetTokens() {
        claims.clear();
    }

    /** A token stands for one attempt. */
    void noteToken(SimulatedTimer before, SimulatedTimer now) {
        if (isNewClaim(before, now)) {
            claims.put(token(now), new Claim(now.by(), Long.MIN_VALUE));
        }
    }

    private static long token(SimulatedTimer timer) {
        return timer.record() == null ? 0 : timer.record().token();
    }

    private static boolean isNewClaim(SimulatedTimer before, SimulatedTimer now) {
        return now.is(TimerState.CLAIMED) && !(before.is(TimerState.CLAIMED) && token(before) == token(now));
    }

    /** @param changes that the call may carry out */
    void judge(String key, SimulatedTimer before, SimulatedTimer now, Look look, List<SimulatedWish> changes) {
        TimerRecord record = now.record();
        boolean mayBePurged = changes.stream().anyMatch(wish -> wish.kind == Kind.PURGE);
        if (record == null) {
            check(forgetsSoon || mayBePurged || !before.isLive(), "a live timer is forgotten: " + before);
            check(forgetsSoon || mayBePurged || !before.is(TimerState.DEAD), "a dead timer is forgotten: " + before);
            return;
        }
        boolean hasRunOut = !before.is(TimerState.CLAIMED) || look.heldUntil().getOrDefault(key, 0.0) <= look.nowMs();
        if (isNewClaim(before, now)) {
            checkClaim(before, now, look);
        }
        if (!now.id().equals(before.id())) {
            checkNew(before, now, look, mayBePurged);
        } else if (before.record() != null) {
            checkSame(before, now, hasRunOut, changes);
            check(
                    !look.call().master.isFull
                            || record.dueAtMs() == before.record().dueAtMs()
                            || changes.stream().anyMatch(wish -> wish.kind == Kind.SPAWN),
                    "changed though there was no memory: " + before + ", now " + now);
            checkHistory(before.record(), record);
        }
    }

    private static void checkNew(SimulatedTimer before, SimulatedTimer now, Look look, boolean mayBePurged) {
        TimerRecord record = now.record();
        TimerRecord former = before.record();
        check(
                record != null && (former == null || record.version() > former.version() || mayBePurged),
                "version " + now);
        check(former == null || record.seq() > former.seq(), "it is older than the one before: " + now);
        check(!look.call().master.isFull || !now.isLive(), "made though there was no memory: " + now);
    }

    private void checkClaim(SimulatedTimer before, SimulatedTimer now, Look look) {
        TimerRecord record = now.record();
        if (record == null) {
            return;
        }
        check(record.attemptAtMs() <= look.nowMs(), "claimed at " + look.nowMs() + ", early: " + now);
        // A claim that comes behind the end of its own repetition is made anew: nobody holds it, and it counts.
        check(
                look.call().isLate || !claims.containsKey(record.token()),
                "one claim was counted as two attempts: " + now);
        claims.put(record.token(), new Claim(look.call().link, look.nowMs()));
        int partition = (int) (Long.parseLong(now.id(), 16) % Layout.MAX_PARTITIONS);
        Owner owner = look.owners().getOrDefault(partition, new Owner("", 0));
        check(
                mayShare(look.call().master) || owner.node().equals(look.call().link.node),
                look.call().link.node + " has claimed, and the owner is " + owner.node() + ": " + now);
        if (before.is(TimerState.PENDING) && before.id().equals(now.id()) && before.record() != null) {
            check(record.attempts() == before.record().attempts() + 1, "attempts " + before + ", then " + now);
        }
    }

    /**
     * Where a failover can lose the last owner, two masters can give the same epoch: in the same millisecond, or when a clock was set
     * back. Both owners claim then, each timer once.
     */
    private boolean mayShare(SimulatedMaster master) {
        return master.generation > 0 && !isDurable;
    }

    /** What is remembered goes on, and only the first ones are forgotten. */
    private static void checkHistory(TimerRecord former, TimerRecord record) {
        List<PastAttempt> before = former.history();
        List<PastAttempt> now = record.history();
        boolean goesOn = false;
        for (int forgotten = 0; forgotten <= before.size() && !goesOn; forgotten++) {
            List<PastAttempt> kept = before.subList(forgotten, before.size());
            goesOn = now.size() >= kept.size()
                    && now.subList(0, kept.size()).equals(kept)
                    && (forgotten == 0 || now.size() == PastAttempt.REMEMBERED);
        }
        check(goesOn && now.size() <= PastAttempt.REMEMBERED, "remembered " + before + ", then " + now);
    }

    /** Whether what stands now may have come of a change. */
    private static boolean mayBeChanged(List<SimulatedWish> changes, Kind kind, TimerRecord record) {
        return changes.stream().anyMatch(wish -> wish.kind == kind && wish.dueAtMs == record.dueAtMs());
    }

    private void checkSame(SimulatedTimer before, SimulatedTimer now, boolean hasRunOut, List<SimulatedWish> changes) {
        TimerRecord former = before.record();
        TimerRecord record = now.record();
        if (former == null || record == null) {
            return;
        }
        if (record.ending()) {
            // Another claim than before was made by the same call, and looked at as such.
            check(
                    former.token() != record.token() || former.attempts() == record.attempts(),
                    "the last attempt is another one: " + before + ", now " + now);
            return;
        }
        check(
                !former.ending() || now.is(TimerState.CANCELLED) || now.is(TimerState.COMPLETED),
                "it goes on behind its last attempt: " + before + ", now " + now);
        Claim claim = claims.get(former.token());
        boolean isHolder = claim != null && claim.link == now.by();
        check(record.version() == former.version(), "another version of the same timer: " + now);
        boolean isRescheduled = mayBeChanged(changes, Kind.RESCHEDULE, record);
        boolean isRedriven = mayBeChanged(changes, Kind.REDRIVE, record);
        boolean isSpawned = mayBeChanged(changes, Kind.SPAWN, record);
        check(
                record.dueAtMs() == former.dueAtMs() || isRescheduled || isRedriven || isSpawned,
                "another due time of the same timer: " + now);
        switch (former.state()) {
            case CLAIMED ->
                check(hasRunOut || isHolder, "not its holder has ended a claim: " + before + ", now " + now);
            case PENDING ->
                check(
                        now.is(TimerState.CLAIMED)
                                || now.is(TimerState.CANCELLED)
                                || (isRescheduled
                                        && now.is(TimerState.PENDING)
                                        && record.attempts() == former.attempts()),
                        "a pending timer has become " + now);
            case DEAD ->
                check(
                        changes.stream().anyMatch(wish -> wish.kind == Kind.REDRIVE)
                                && (isRedriven || isRescheduled)
                                && (record.attempts() == 0 || now.is(TimerState.CLAIMED)),
                        "what was dead goes on: " + before + ", now " + now);
            case COMPLETED, CANCELLED, EXPIRED -> check(false, "what was finished goes on: " + before + ", now " + now);
        }
        if (former.state() != TimerState.CLAIMED || isRescheduled || isRedriven) {
            return;
        }
        if (isSpawned) {
            checkSpawned(now, changes);
            return;
        }
        switch (record.state()) {
            case PENDING ->
                check(
                        record.attemptAtMs() == former.attemptAtMs()
                                ? record.attempts() == former.attempts() - 1
                                        || (record.attempts() == former.attempts() && hasRunOut)
                                : ends.contains(now.id() + " " + record.attemptAtMs()),
                        "a claim was given back as nobody has asked for: " + before + ", now " + now);
            case COMPLETED, DEAD, EXPIRED ->
                check(ends.contains(now.id() + " " + record.state()), "ended by nobody: " + now);
            case CLAIMED, CANCELLED -> {
                // Looked at from the other side.
            }
        }
    }

    /** A plan comes again as if it had not been tried, and with what it was given. */
    private static void checkSpawned(SimulatedTimer now, List<SimulatedWish> changes) {
        TimerRecord record = now.record();
        check(
                record == null
                        || !now.is(TimerState.PENDING)
                        || (record.attempts() == 0
                                && record.attemptAtMs() == record.dueAtMs()
                                && changes.stream()
                                        .anyMatch(wish -> wish.kind == Kind.SPAWN && wish.token.equals(now.token()))),
                "a plan has come again as nobody has asked for: " + now);
    }

    /** A lease is taken from nobody. */
    void checkOwners(Look look) {
        look.owners().forEach((partition, now) -> {
            Owner before = look.ownersBefore().getOrDefault(partition, new Owner("", 0));
            String by = look.call().link.node;
            boolean isGivenBack = now.node().isEmpty() && before.node().equals(by);
            boolean isTaken = !before.node().isEmpty() && !before.node().equals(now.node());
            check(
                    !isTaken || isGivenBack || before.leaseMs() <= look.nowMs() || mayShare(look.call().master),
                    by + " has taken partition " + partition + " from " + before + " at " + look.nowMs());
        });
    }
}
