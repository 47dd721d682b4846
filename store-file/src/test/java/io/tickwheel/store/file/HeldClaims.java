package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.file.Ledger.Entry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** The claims that a {@link Workload} holds, and their ends, which the {@link Ledger} is told. */
final class HeldClaims {

    private final SimulatedStore store;
    private final Ledger ledger;
    private final Map<String, PendingTimer> loaded;
    private final List<Claim> claims = new ArrayList<>();

    /** The claims of timers that were cancelled since, and not replaced, by the names of these. */
    private final Map<String, Claim> lastAttempts = new HashMap<>();

    /** Claims that earlier openings of the store have granted. */
    private final List<ClaimedTimer> earlier = new ArrayList<>();

    /** A claim, and which schedule made its timer: when another one has, the claim's end has no effect. */
    record Claim(ClaimedTimer timer, int number) {

        String name() {
            return Workload.text(timer.handle().key());
        }
    }

    /** @param loaded the timers that may be claimed, by their names; one that is given back is there again */
    HeldClaims(SimulatedStore store, Ledger ledger, Map<String, PendingTimer> loaded) {
        this.store = store;
        this.ledger = ledger;
        this.loaded = loaded;
    }

    /** The store is opened again, and knows of none. */
    void forgetAll() {
        claims.forEach(claim -> earlier.add(claim.timer()));
        claims.clear();
        lastAttempts.clear();
    }

    boolean isEmpty() {
        return claims.isEmpty();
    }

    void add(Claim claim) {
        claims.add(claim);
    }

    void remove(Claim claim) {
        claims.remove(claim);
    }

    Claim first() {
        return claims.get(0);
    }

    Claim any() {
        return claims.get(store.random.nextInt(claims.size()));
    }

    boolean hasEarlier() {
        return !earlier.isEmpty();
    }

    /** Any that an earlier opening of the store has granted. */
    ClaimedTimer anyEarlier() {
        return earlier.get(store.random.nextInt(earlier.size()));
    }

    /** Whether the timer of a name was cancelled while this attempt of it ran, and not replaced. */
    boolean isLastAttempt(String name) {
        return lastAttempts.containsKey(name);
    }

    void putLastAttempt(String name, Claim claim) {
        lastAttempts.put(name, claim);
    }

    @Nullable
    Claim removeLastAttempt(String name) {
        return lastAttempts.remove(name);
    }

    /** How an attempt is remembered, or null when it is not to be. */
    private @Nullable PastAttempt past() {
        SplittableRandom random = store.random;
        if (random.nextInt(3) == 0) {
            return null;
        }
        String reason = random.nextBoolean() ? "" : "é".repeat(random.nextInt(PastAttempt.MOST_REASON_BYTES / 2));
        String excerpt =
                random.nextInt(3) > 0 ? "" : "\ud83d\ude00".repeat(random.nextInt(PastAttempt.MOST_EXCERPT_BYTES / 4));
        return new PastAttempt(
                1 + random.nextInt(9), random.nextLong(), random.nextInt(99), random.nextInt(99), 200, reason, excerpt);
    }

    void release(Claim claim) {
        claims.remove(claim);
        boolean current = isCurrent(claim);
        endLast(claim, TimerState.CANCELLED, 0, null);
        checkEnd(store.calendar().release(claim.timer().handle()), current);
        if (current) {
            loaded.put(claim.name(), claim.timer().handle());
        }
    }

    void reroute(Claim claim) {
        claims.remove(claim);
        endLast(claim, TimerState.CANCELLED, 0, null);
        store.calendar().reroute(claim.timer().handle(), store.random.nextInt(Workload.ROUTES));
    }

    void postpone(Claim claim, long dueAtMs) {
        claims.remove(claim);
        boolean current = isCurrent(claim);
        if (current) {
            ledger.put(claim.name(), ledger.get(claim.name()).postponed(dueAtMs));
        }
        endLast(claim, TimerState.CANCELLED, 0, null);
        checkEnd(store.calendar().postpone(claim.timer().handle(), dueAtMs), current);
    }

    void retry(Claim claim, long dueAtMs) {
        claims.remove(claim);
        boolean current = isCurrent(claim);
        PastAttempt past = past();
        if (current) {
            ledger.put(claim.name(), ledger.get(claim.name()).retried(dueAtMs, past));
        }
        endLast(claim, TimerState.CANCELLED, 1, past);
        checkEnd(store.calendar().retry(claim.timer().handle(), dueAtMs, past), current);
    }

    void finish(Claim claim, TimerState outcome) {
        claims.remove(claim);
        boolean current = isCurrent(claim);
        PastAttempt past = past();
        if (current) {
            ledger.put(claim.name(), ledger.get(claim.name()).finished(outcome, past));
        }
        boolean completed = outcome == TimerState.COMPLETED;
        boolean last = endLast(claim, completed ? outcome : TimerState.CANCELLED, 1, past);
        checkEnd(store.calendar().finish(claim.timer().handle(), outcome, past), current || (last && completed));
    }

    /** Ends the last attempt of a timer that was cancelled; returns false for any other. */
    boolean endLast(Claim claim, TimerState outcome, int attempts, @Nullable PastAttempt past) {
        if (!lastAttempts.remove(claim.name(), claim)) {
            return false;
        }
        Entry cancelled = ledger.get(claim.name());
        Entry ended = cancelled.ended(outcome, cancelled.attempts() - 1 + attempts, past);
        if (!ended.equals(cancelled)) {
            store.look(Sighting.OUTCOME_WHILE_MOVING);
            ledger.put(claim.name(), ended);
        }
        return true;
    }

    private void checkEnd(boolean counts, boolean current) {
        if (counts != current) {
            // A read may have failed within an earlier call, and the store with it, which its next turn says.
            store.work();
        }
        assertThat(counts).isEqualTo(current);
    }

    private boolean isCurrent(Claim claim) {
        Entry entry = ledger.get(claim.name());
        return entry != null && entry.isLive() && entry.number() == claim.number();
    }

    @Nullable
    Claim of(String name) {
        return claims.stream()
                .filter(claim -> claim.name().equals(name) && isCurrent(claim))
                .findFirst()
                .orElse(null);
    }

    /** How the timer of a name must be shown now. */
    @Nullable
    Entry shown(String name) {
        Entry entry = ledger.get(name);
        if (entry != null && of(name) != null) {
            return entry.claimed(entry.attempts() + 1);
        }
        return entry != null && lastAttempts.containsKey(name) ? entry.claimed(entry.attempts()) : entry;
    }
}
