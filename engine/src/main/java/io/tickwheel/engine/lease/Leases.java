package io.tickwheel.engine.lease;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.EngineListener;
import io.tickwheel.engine.Lease;
import io.tickwheel.engine.LeaseGoneException;
import io.tickwheel.engine.attempt.InFlight;
import io.tickwheel.engine.attempt.InFlight.Outcome;
import io.tickwheel.engine.due.LeaseCredits;
import io.tickwheel.engine.inbox.Alarms;
import io.tickwheel.engine.inbox.EngineOptions;
import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.NodeMail;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The leases that consumers hold, until they are acknowledged or given back, or expire. Owned by the loop.
 *
 * <p>Each lease has a {@link LeaseId} that no other has, also after a restart, which forgets all leases. A timer has one lease at a time. What is asked of the
 * lease of another opening is refused, but for an acknowledgement, which is a {@link LateAcknowledgements late} one.
 */
public final class Leases {

    private final Calendar calendar;
    private final Clock clock;
    private final Alarms alarms;
    private final LeaseCredits credits;
    private final EngineListener listener;
    private final LongSupplier random;

    /** By which leases of this opening are known from those of others. */
    private final long holder;

    private final LateAcknowledgements late;
    private final Map<String, HeldLease> byTimer = new HashMap<>();

    public Leases(EngineOptions options, Calendar calendar, Clock clock, Alarms alarms, LeaseCredits credits) {
        NodeMail mail = calendar.mail();
        this.late = new LateAcknowledgements(calendar, clock, options.listener());
        this.calendar = calendar;
        this.clock = clock;
        this.alarms = alarms;
        this.credits = credits;
        this.listener = options.listener();
        this.random = options.random();
        this.holder = mail == null ? random.getAsLong() : mail.self();
    }

    /** Makes a lease of an attempt that was granted; it does not expire until it is given. */
    HeldLease hold(InFlight attempt) {
        String timer = attempt.attempt().id();
        long token = attempt.claimToken;
        HeldLease lease = new HeldLease(token == 0 ? random.getAsLong() : token, attempt, this::expired);
        HeldLease before = byTimer.get(timer);
        if (before != null) {
            // Its claim was lost, or nobody could have claimed the timer again.
            end(before, Outcome.FAILED, "its claim was lost", Duration.ZERO);
        }
        byTimer.put(timer, lease);
        return lease;
    }

    /** Gives leases to their consumer; they expire from now on, and their contents are not kept. */
    List<Lease> give(List<HeldLease> gathered, Duration ttl) {
        Instant expiresAt = clock.now().plus(ttl);
        List<Lease> given = new ArrayList<>(gathered.size());
        for (HeldLease lease : gathered) {
            alarms.set(lease, ttl);
            credits.given(lease.attempt.contentBytes);
            listener.started(lease.attempt.attempt());
            given.add(new Lease(idOf(lease).toString(), lease.attempt.attempt(), expiresAt));
            lease.attempt.forgetContent();
        }
        return given;
    }

    private LeaseId idOf(HeldLease lease) {
        Attempt attempt = lease.attempt.attempt();
        return new LeaseId(attempt.timer(), attempt.id(), attempt.number(), holder, lease.nonce);
    }

    /** Undoes what was gathered for a consumer that is gone: as if nothing had been claimed. */
    void undo(List<HeldLease> gathered) {
        for (HeldLease lease : gathered) {
            end(lease, Outcome.UNUSED, "", null);
        }
    }

    /** Gives back what was given to a consumer that had gone by then; no attempt counts. */
    void takeBack(List<Lease> given) {
        given.forEach(each -> takeBack(each.id()));
    }

    /** Takes back a lease that nobody has worked on, also one whose time has passed just now: no attempt counts. */
    public void takeBack(String id) {
        LeaseId asked = LeaseId.read(id);
        HeldLease lease = asked == null ? null : held(asked);
        if (lease != null) {
            end(lease, Outcome.POSTPONED, "its consumer was gone", null);
        }
    }

    // ---- what consumers ask

    public void acknowledge(String id, Answer<Boolean> answer) {
        LeaseId asked = LeaseId.read(id);
        HeldLease lease = asked == null ? null : find(asked);
        if (asked != null && asked.holder() != holder) {
            late.acknowledge(asked, answer);
        } else if (lease == null) {
            answer.fail(gone(id));
        } else if (end(lease, Outcome.ACKNOWLEDGED, "", null)) {
            answer.accept(true);
        } else {
            answer.fail(forNothing(id));
        }
    }

    /**
     * Ends a lease as an attempt that has failed.
     *
     * @param delay until the next attempt; null for that of the retry policy
     */
    public void nack(String id, @Nullable Duration delay, String reason, Answer<Boolean> answer) {
        endAs(id, Outcome.FAILED, reason, delay, answer);
    }

    /** Ends a lease as if there had been no attempt; nothing is done when it is not held. A moment that has passed means at once. */
    public void postpone(String id, Instant until, String reason) {
        HeldLease lease = find(id);
        if (lease != null) {
            lease.attempt.postponeUntil(until);
            end(lease, Outcome.POSTPONED, reason, null);
        }
    }

    public void bury(String id, String reason, Answer<Boolean> answer) {
        endAs(id, Outcome.REJECTED, reason, null, answer);
    }

    private void endAs(String id, Outcome outcome, String reason, @Nullable Duration delay, Answer<Boolean> answer) {
        HeldLease lease = find(id);
        if (lease == null) {
            answer.fail(gone(id));
            return;
        }
        boolean counts = calendar.holds(lease.attempt.timer);
        end(lease, outcome, reason, delay);
        if (counts) {
            answer.accept(true);
        } else {
            answer.fail(forNothing(id));
        }
    }

    public void extend(String id, Duration ttl, Answer<Instant> answer) {
        HeldLease lease = find(id);
        if (lease == null) {
            answer.fail(gone(id));
        } else if (lease.cancelled) {
            answer.fail(new LeaseGoneException(id, "cannot be extended, its timer was cancelled"));
        } else if (!calendar.holds(lease.attempt.timer)) {
            end(lease, Outcome.FAILED, "its claim was lost", Duration.ZERO);
            answer.fail(new LeaseGoneException(id, "is not held: its timer was replaced, or belongs to another node"));
        } else {
            alarms.set(lease, ttl);
            answer.accept(clock.now().plus(ttl));
        }
    }

    private static LeaseGoneException gone(String id) {
        return new LeaseGoneException(id, "is not held: it has ended or expired, or there was none");
    }

    private static LeaseGoneException forNothing(String id) {
        return new LeaseGoneException(id, "counts for nothing, its timer was replaced, or belongs to another node");
    }

    /** Takes note of a cancel. */
    void cancelled(Cancelled answer) {
        if (answer.outcome() == Cancelled.Outcome.LAST_ATTEMPT_RUNNING && answer.timer() != null) {
            HeldLease lease = byTimer.get(answer.timer().id());
            if (lease != null) {
                lease.cancelled = true;
            }
        }
    }

    /** The lease with an id that somebody holds. */
    private @Nullable HeldLease find(String id) {
        LeaseId asked = LeaseId.read(id);
        return asked == null ? null : find(asked);
    }

    private @Nullable HeldLease find(LeaseId asked) {
        HeldLease lease = held(asked);
        return lease != null && alarms.isAhead(lease) ? lease : null;
    }

    /** A lease that has not ended yet, though its time may have passed. */
    private @Nullable HeldLease held(LeaseId asked) {
        HeldLease lease = byTimer.get(asked.timer());
        return lease != null && idOf(lease).equals(asked) ? lease : null;
    }

    private void expired(HeldLease lease) {
        end(lease, Outcome.FAILED, "its lease expired", Duration.ZERO);
    }

    /** Returns whether the outcome counts. */
    private boolean end(HeldLease lease, Outcome outcome, String reason, @Nullable Duration delay) {
        alarms.callOff(lease);
        byTimer.remove(lease.attempt.attempt().id());
        return lease.attempt.endNow(outcome, reason, delay);
    }
}
