package io.tickwheel.engine.due;

import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.TimerContent;
import io.tickwheel.engine.limit.StartGate;
import io.tickwheel.engine.rule.DueTimes;
import io.tickwheel.store.TimerView;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The attempts of one queue that run or are being claimed, on all of its lanes, and what applies to them. Owned by the loop. */
public final class QueueCredits {

    public final String queue;
    /** Attempts that run or are being claimed, but for those that are leased. */
    int inFlight;

    /** Of all these, those that are being claimed. */
    int claiming;

    private int lanes;

    private QueueSettings settings = QueueSettings.NONE;

    private StartGate gate = StartGate.OPEN;

    /** Attempts that are leased, or claimed for a lease; beside {@link #inFlight}. */
    int leased;

    private @Nullable PullDemand pulled;

    public QueueCredits(String queue) {
        this.queue = queue;
    }

    /** How many lanes of the queue are known. */
    public int lanes() {
        return lanes;
    }

    public void laneCame() {
        lanes++;
    }

    public void laneWent() {
        lanes--;
    }

    /** What applies to the attempts that start. */
    public QueueSettings settings() {
        return settings;
    }

    public StartGate gate() {
        return gate;
    }

    void assign(QueueSettings newSettings, StartGate newGate) {
        settings = newSettings;
        gate = newGate;
    }

    /** What consumers want of the timers that name no destination; null when these are not leased. */
    @Nullable
    PullDemand pulled() {
        return pulled;
    }

    /**
     * Takes what consumers want of the timers that name no destination.
     *
     * @param demand null when they are not leased
     */
    public void pull(@Nullable PullDemand demand) {
        pulled = demand;
    }

    /** Attempts that run or are being claimed, leased or not. */
    int running() {
        return inFlight + leased;
    }

    /** Attempts that are being claimed, leased or not. */
    int claiming() {
        return claiming;
    }

    /**
     * How attempts of a timer are repeated.
     *
     * @param otherwise what applies when neither the timer nor the queue says anything
     */
    public RetryPolicy retry(TimerContent content, RetryPolicy otherwise) {
        if (content.retry() != null) {
            return content.retry();
        }
        RetryPolicy ofQueue = settings.retry();
        return ofQueue != null ? ofQueue : otherwise;
    }

    /** The last moment at which an attempt may start; {@link Long#MAX_VALUE} when any may. */
    public long expiresAtMs(TimerView view, TimerContent content) {
        Duration ofTimer = content.expireAfter();
        Duration expireAfter = ofTimer != null ? ofTimer : settings.expireAfter();
        if (expireAfter == null) {
            return Long.MAX_VALUE;
        }
        long afterMs = expireAfter.compareTo(DueTimes.LONGEST) >= 0 ? Long.MAX_VALUE : expireAfter.toMillis();
        return view.dueAtMs() > Long.MAX_VALUE - afterMs ? Long.MAX_VALUE : view.dueAtMs() + afterMs;
    }
}
