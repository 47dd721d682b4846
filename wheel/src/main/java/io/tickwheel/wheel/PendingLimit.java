package io.tickwheel.wheel;

import java.util.concurrent.Semaphore;

/** How many more timeouts may be pending. */
final class PendingLimit extends Semaphore {
    private static final long serialVersionUID = 1;

    PendingLimit(int maxPending) {
        super(maxPending);
    }

    /** Takes a place back for a timeout that is pending again, and over the limit if it must: no timeout is lost for it. */
    void takeBack() {
        reducePermits(1);
    }
}
