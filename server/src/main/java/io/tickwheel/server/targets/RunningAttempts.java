package io.tickwheel.server.targets;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Target;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts the attempts that targets have been given and have not told the outcome of. Thread-safe. */
public final class RunningAttempts {

    private final AtomicInteger running = new AtomicInteger();

    /** A target that does the same and is counted. */
    public Target of(Target target) {
        return new Target() {
            @Override
            public void deliver(Attempt attempt, Delivery delivery) {
                RunningAttempts.this.deliver(target, attempt, new Counted(delivery));
            }

            @Override
            public String route(String address) {
                return target.route(address);
            }
        };
    }

    public int count() {
        return running.get();
    }

    private void deliver(Target target, Attempt attempt, Counted delivery) {
        running.incrementAndGet();
        try {
            target.deliver(attempt, delivery);
        } catch (RuntimeException | Error e) {
            delivery.over();
            throw e;
        }
    }

    /** Stops counting before it passes the outcome on, so that nothing is counted once the engine has all outcomes. */
    private final class Counted implements Delivery {

        private final Delivery delivery;
        private final AtomicBoolean over = new AtomicBoolean();

        Counted(Delivery delivery) {
            this.delivery = delivery;
        }

        void over() {
            if (over.compareAndSet(false, true)) {
                running.decrementAndGet();
            }
        }

        @Override
        public void answered(int status) {
            delivery.answered(status);
        }

        @Override
        public void answered(int status, String excerpt) {
            delivery.answered(status, excerpt);
        }

        @Override
        public void acknowledge() {
            over();
            delivery.acknowledge();
        }

        @Override
        public void fail(String reason) {
            over();
            delivery.fail(reason);
        }

        @Override
        public void unreachable(String reason) {
            over();
            delivery.unreachable(reason);
        }

        @Override
        public void fail(String reason, Duration wait) {
            over();
            delivery.fail(reason, wait);
        }

        @Override
        public void postpone(String reason, Instant until) {
            over();
            delivery.postpone(reason, until);
        }

        @Override
        public void reject(String reason) {
            over();
            delivery.reject(reason);
        }
    }
}
