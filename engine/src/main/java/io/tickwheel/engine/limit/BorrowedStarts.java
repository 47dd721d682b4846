package io.tickwheel.engine.limit;

import io.tickwheel.engine.Clock;
import io.tickwheel.store.Answer;
import io.tickwheel.store.LimitGrant;
import io.tickwheel.store.LimitRequest;
import io.tickwheel.store.SharedLimits;
import io.tickwheel.store.StoreException;
import java.util.ArrayDeque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node starts that shares the calendar with others: slots and tokens that it borrows for the next moment, as far as timers wait here. Owned by the loop.
 *
 * <pre>
 *   refused -> ask -> granted -> start ... idle for {@value #IDLE_MS} ms, or others wait -> ask with less
 *                         '-- held, every {@value #RENEWAL_MS} ms --> ask
 * </pre>
 *
 * Invariants: no more run than were granted, and none starts once these have lapsed here, which is before they do there; what was said to be kept is not exceeded before
 * the answer. One question at a time; while none is answered, what was granted goes on until it lapses.
 */
public final class BorrowedStarts implements StartBudget, Answer<LimitGrant> {

    private static final Logger LOG = LoggerFactory.getLogger(BorrowedStarts.class);

    private static final long NANOS_A_MS = 1_000_000;

    /** How long slots may lie idle before they are given back. */
    static final long IDLE_MS = 50;

    /** How often it is said that slots are held, and learned whether others wait; four times before they lapse, when that is more often. */
    static final long RENEWAL_MS = 300;

    private static final long FAILED_MS = 100;
    private static final long PAUSE_MS = 10;

    /** More tokens are asked for before the last one comes. */
    private static final long AHEAD_MS = 25;

    private final String queue;
    private final SharedLimits limits;
    private final Clock clock;
    private final ArrayDeque<GrantedStarts> granted = new ArrayDeque<>();
    private StartRule rule = StartRule.NONE;

    /** How many attempts may run, until they lapse. */
    private int slots;

    private long lapseNanos;
    private long renewalNanos = RENEWAL_MS * NANOS_A_MS;

    /** How many slots all nodes believe to be held here. */
    private int held;

    /** Tokens to give back. */
    private int unused;

    private boolean asking;
    private int kept;
    private long askedNanos;

    /** Before that time nothing is asked for that was not granted. */
    private long againNanos;

    private boolean lastFailed;
    private boolean lacksSlot;
    private boolean lacksToken;
    private boolean hasTaken;

    /** Since when there have been slots without a start. */
    private long idleSinceNanos;

    private long wakeNanos;
    private boolean wakes;

    public BorrowedStarts(String queue, SharedLimits limits, Clock clock) {
        this.queue = queue;
        this.limits = limits;
        this.clock = clock;
        this.idleSinceNanos = clock.monoNanos();
        this.askedNanos = idleSinceNanos - renewalNanos;
        this.againNanos = idleSinceNanos;
    }

    @Override
    public void set(StartRule other, long nowMs, long nowNanos) {
        rule = other;
        againNanos = nowNanos;
    }

    @Override
    public boolean admits(int running, long nowMs, long nowNanos) {
        if (rule.concurrency() != null && running >= usableSlots(nowNanos)) {
            lacksSlot = true;
            return false;
        }
        if (rule.isLimited(nowMs) && !hasToken(nowNanos)) {
            lacksToken = true;
            return false;
        }
        return true;
    }

    private int usableSlots(long nowNanos) {
        Integer most = rule.concurrency();
        if (most == null || nowNanos - lapseNanos >= 0) {
            return 0;
        }
        return Math.min(most, asking ? Math.min(slots, kept) : slots);
    }

    private boolean hasToken(long nowNanos) {
        dropLapsed(nowNanos);
        GrantedStarts first = granted.peek();
        return first != null && first.nanosToNext(nowNanos) <= 0;
    }

    private void dropLapsed(long nowNanos) {
        for (GrantedStarts first = granted.peek();
                first != null && (first.left() == 0 || first.hasLapsed(nowNanos));
                first = granted.peek()) {
            unused += first.left();
            granted.remove();
        }
    }

    @Override
    public void take() {
        hasTaken = true;
        GrantedStarts first = granted.peek();
        if (first != null && first.left() > 0) {
            first.take();
        }
    }

    @Override
    public void giveBack() {
        if (rule.hasRate()) {
            unused++;
        }
    }

    @Override
    public void begin() {
        lacksSlot = false;
        lacksToken = false;
        hasTaken = false;
    }

    @Override
    public boolean hasRefused() {
        return lacksToken;
    }

    @Override
    public long nanosToOpen(long nowMs, long nowNanos) {
        GrantedStarts first = granted.peek();
        return lacksToken && first != null ? Math.max(0, first.nanosToNext(nowNanos)) : Long.MAX_VALUE;
    }

    @Override
    public long idleNanos(long nowNanos) {
        return wakes ? Math.max(0, wakeNanos - nowNanos) : Long.MAX_VALUE;
    }

    @Override
    public boolean isSettled() {
        return !asking && (held == 0 || lastFailed);
    }

    // ---- what to ask for

    @Override
    public void work(int running, int waiting, long nowMs, long nowNanos) {
        wakes = false;
        int usable = usableSlots(nowNanos);
        if (hasTaken || usable <= running) {
            idleSinceNanos = nowNanos;
        }
        if (asking) {
            return;
        }
        boolean lacks = waiting > 0 && (lacksSlot || lacksToken);
        int wanted = wantedSlots(running, lacks ? waiting : 0, usable, nowNanos);
        int keeps = Math.max(running, Math.min(usable, wanted));
        int tokens = lacks && rule.isLimited(nowMs) ? wantedTokens(running, waiting, wanted, nowNanos) : 0;
        boolean isDue = tokens > 0 || (rule.concurrency() != null && lacks && wanted > usable);
        if (isDue && nowNanos - againNanos >= 0) {
            ask(running, keeps, wanted, tokens, nowMs, nowNanos);
            return;
        }
        if (isDue) {
            wakeAt(againNanos);
        }
        if (keeps != held && rule.concurrency() != null) {
            askAt(askedNanos + PAUSE_MS * NANOS_A_MS, running, keeps, wanted, nowMs, nowNanos);
        } else if (held > 0) {
            askAt(askedNanos + renewalNanos, running, keeps, wanted, nowMs, nowNanos);
        }
    }

    private int wantedSlots(int running, int waiting, int usable, long nowNanos) {
        Integer most = rule.concurrency();
        if (most == null) {
            return running;
        }
        if (waiting > 0) {
            return Math.max(running, Math.min(most, running + waiting));
        }
        long idleToNanos = idleSinceNanos + IDLE_MS * NANOS_A_MS;
        if (usable > running && nowNanos - idleToNanos < 0) {
            wakeAt(idleToNanos);
            return usable;
        }
        return running;
    }

    private int wantedTokens(int running, int waiting, int wantedSlots, long nowNanos) {
        dropLapsed(nowNanos);
        int left = 0;
        for (GrantedStarts each : granted) {
            left += each.left();
        }
        if (left > 0 && granted.getLast().nanosToLast(nowNanos) > AHEAD_MS * NANOS_A_MS) {
            wakeAt(nowNanos + granted.getLast().nanosToLast(nowNanos) - AHEAD_MS * NANOS_A_MS);
            return 0;
        }
        int most = rule.concurrency() == null ? waiting : Math.min(waiting, wantedSlots - running);
        return Math.max(0, most - left);
    }

    private void wakeAt(long nanos) {
        if (!wakes || nanos - wakeNanos < 0) {
            wakes = true;
            wakeNanos = nanos;
        }
    }

    private void askAt(long nanos, int running, int keeps, int wanted, long nowMs, long nowNanos) {
        long notBefore = lastFailed && nanos - againNanos < 0 ? againNanos : nanos;
        if (nowNanos - notBefore >= 0) {
            ask(running, keeps, wanted, 0, nowMs, nowNanos);
        } else {
            wakeAt(notBefore);
        }
    }

    private void ask(int running, int keeps, int wanted, int tokens, long nowMs, long nowNanos) {
        boolean isLimited = rule.isLimited(nowMs);
        LimitRequest request = new LimitRequest(
                queue,
                rule.concurrency(),
                running,
                keeps,
                wanted,
                isLimited ? rule.perSecond(nowMs) : null,
                Math.max(1, rule.burst(nowMs)),
                tokens,
                unused);
        unused = 0;
        asking = true;
        kept = keeps;
        askedNanos = nowNanos;
        limits.ask(request, this);
    }

    // ---- what comes back

    @Override
    public void accept(LimitGrant grant) {
        long nowNanos = clock.monoNanos();
        asking = false;
        lastFailed = false;
        slots = grant.slots();
        held = Math.max(kept, grant.slots());
        lapseNanos = askedNanos + grant.lapseNanos();
        renewalNanos = Math.min(RENEWAL_MS * NANOS_A_MS, grant.lapseNanos() / 4);
        if (nowNanos - lapseNanos >= 0) {
            // This node stood still, and the others go on without it: what it starts late comes on top of what they
            // start now.
            unused += grant.tokens();
        } else if (grant.tokens() > 0) {
            granted.add(new GrantedStarts(grant.tokens(), grant.tokensNow(), rule.perSecond(clock.wallMs()), nowNanos));
        }
        againNanos = Math.max(askedNanos + PAUSE_MS * NANOS_A_MS, nowNanos + grant.againNanos());
    }

    @Override
    public void fail(StoreException reason) {
        asking = false;
        lastFailed = true;
        slots = Math.min(slots, kept);
        held = Math.max(held, kept);
        againNanos = clock.monoNanos() + FAILED_MS * NANOS_A_MS;
        LOG.debug("what may start of queue {} is not known: {}", queue, reason.getMessage());
    }
}
