package io.tickwheel.engine.attempt;

import io.tickwheel.engine.Delivery;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Notes how an attempt ended, as text. */
record NotedDelivery(List<String> outcomes) implements Delivery {

    @Override
    public void acknowledge() {
        outcomes.add("acknowledged");
    }

    @Override
    public void fail(String reason) {
        outcomes.add(reason);
    }

    @Override
    public void fail(String reason, Duration wait) {
        outcomes.add(reason);
    }

    @Override
    public void postpone(String reason, Instant until) {
        outcomes.add(reason + " until " + until);
    }

    @Override
    public void reject(String reason) {
        outcomes.add(reason);
    }
}
