package io.tickwheel.engine;

import io.tickwheel.store.TimerView;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The attempts of one queue that run or are being claimed, on all of its lanes, and what applies to them. Owned by the loop. */
final class QueueCredits {

    final String queue;
    /** Attempts that run or are being claimed, but for those that are leased. */
    int inFlight;

    private int lanes;

    private QueueSettings settings = QueueSettings.NONE;

    private StartGate gate = StartGate.OPEN;

    /** Attempts that are leased, or claimed for a lease; beside {@link #inFlight}. */
    int leased;

    private @Nullable PullDemand pulled;

    QueueCredits(String queue) {
        this.queue = queue;
    }

    /** How many lanes of the queue are known. */
    int lanes() {
        return lanes;
    }

    void laneCame() {
        lanes++;
    }

    void laneWent() {
        lanes--;
    }

    /** What applies to the attempts that start. */
    QueueSettings settings() {
        return settings;
    }

    StartGate gate() {
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

    /** @param demand null when they are not leased */
    void pull(@Nullable PullDemand demand) {
        pulled = demand;
    }

    /** Attempts that run or are being claimed, leased or not. */
    int running() {
        return inFlight + leased;
    }

    /** @param otherwise what applies when neither the timer nor the queue says anything */
    RetryPolicy retry(TimerContent content, RetryPolicy otherwise) {
        if (content.retry() != null) {
            return content.retry();
        }
        RetryPolicy ofQueue = settings.retry();
        return ofQueue != null ? ofQueue : otherwise;
    }

    /** The last moment at which an attempt may start; {@link Long#MAX_VALUE} when any may. */
    long expiresAtMs(TimerView view, TimerContent content) {
        Duration ofTimer = content.expireAfter();
        Duration expireAfter = ofTimer != null ? ofTimer : settings.expireAfter();
        if (expireAfter == null) {
            return Long.MAX_VALUE;
        }
        long afterMs = expireAfter.compareTo(DueTimes.LONGEST) >= 0 ? Long.MAX_VALUE : expireAfter.toMillis();
        return view.dueAtMs() > Long.MAX_VALUE - afterMs ? Long.MAX_VALUE : view.dueAtMs() + afterMs;
    }
}
