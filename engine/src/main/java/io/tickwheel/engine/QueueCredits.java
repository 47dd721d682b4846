package io.tickwheel.engine;

/** The attempts of one queue that run or are being claimed, on all of its lanes. Owned by the loop. */
final class QueueCredits {

    final String queue;
    int inFlight;

    /** How many lanes of the queue are known. */
    int lanes;

    /** What applies to the attempts that start. */
    QueueSettings settings = QueueSettings.NONE;

    StartGate gate = StartGate.OPEN;

    QueueCredits(String queue) {
        this.queue = queue;
    }
}
