package io.tickwheel.engine;

/** The attempts of one queue that run or are being claimed, on all of its lanes. Owned by the loop. */
final class QueueCredits {

    final String queue;
    int inFlight;

    /** How many lanes of the queue are known. */
    int lanes;

    QueueCredits(String queue) {
        this.queue = queue;
    }
}
