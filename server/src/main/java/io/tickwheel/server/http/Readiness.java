package io.tickwheel.server.http;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.server.wire.Problem;
import io.tickwheel.server.wire.ProblemCode;
import io.tickwheel.server.wire.ProblemException;
import io.tickwheel.store.Durability;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Whether the server takes commands, and the engine that takes them. Thread-safe. */
public final class Readiness {

    enum State {
        RECOVERING,
        READY,
        DRAINING,
        FAILED
    }

    /** Recovering, ready or draining. */
    private volatile State state = State.RECOVERING;

    private volatile @Nullable Tickwheel timers;

    /** An engine that stops without having been asked to has lost its store. */
    State state() {
        State now = state;
        Tickwheel engine = timers;
        return now == State.READY && engine != null && !engine.isRunning() ? State.FAILED : now;
    }

    public synchronized void opened(Tickwheel engine) {
        timers = engine;
        if (state == State.RECOVERING) {
            state = State.READY;
        }
    }

    /** Draining is final: what fails while it goes on is not of interest to a load balancer. */
    public synchronized void draining() {
        state = State.DRAINING;
    }

    /** @throws ProblemException when there is no engine that takes commands */
    Tickwheel timers() {
        State now = state();
        if (now == State.READY) {
            return Objects.requireNonNull(timers);
        }
        throw problem(now).exception();
    }

    /** Why the server is not ready, for who asks whether it is; null when it is. */
    @Nullable
    Problem unready() {
        State now = state();
        if (now != State.READY) {
            return problem(now);
        }
        return Objects.requireNonNull(timers).unready().map(Readiness::gone).orElse(null);
    }

    /** What the store held is gone. */
    static Problem gone(String reason) {
        return new Problem(ProblemCode.STORAGE_GONE, reason).withApplied(Problem.Applied.NO);
    }

    /** Of the engine that was opened; also when it takes no commands any more. */
    Durability durability() {
        return Objects.requireNonNull(timers).durability();
    }

    /** Why the server is not ready. */
    static Problem problem(State state) {
        Problem problem = switch (state) {
            case RECOVERING -> new Problem(ProblemCode.RECOVERING, "the timers are being read, try again soon");
            case FAILED ->
                new Problem(ProblemCode.STORAGE_FAILED, "the storage failed, the server must be started again");
            default -> new Problem(ProblemCode.CLOSING, "the server is closing");
        };
        return problem.withApplied(Problem.Applied.NO);
    }
}
