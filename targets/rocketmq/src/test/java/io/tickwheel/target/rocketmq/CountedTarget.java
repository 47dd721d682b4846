package io.tickwheel.target.rocketmq;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Target;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;

/**
 * Another target, with the attempts counted that it acknowledges.
 *
 * @param target what delivers
 * @param acknowledged is counted down
 */
record CountedTarget(Target target, CountDownLatch acknowledged) implements Target {

    @Override
    public void deliver(Attempt attempt, Delivery delivery) {
        target.deliver(attempt, new Counted(delivery, acknowledged));
    }

    private record Counted(Delivery delivery, CountDownLatch acknowledged) implements Delivery {
        @Override
        public void acknowledge() {
            delivery.acknowledge();
            acknowledged.countDown();
        }

        @Override
        public void fail(String reason) {
            delivery.fail(reason);
        }

        @Override
        public void fail(String reason, Duration wait) {
            delivery.fail(reason, wait);
        }

        @Override
        public void postpone(String reason, Instant until) {
            delivery.postpone(reason, until);
        }

        @Override
        public void reject(String reason) {
            delivery.reject(reason);
        }
    }
}
