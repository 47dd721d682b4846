package io.tickwheel.store.redis.faults;

/** Told by a node of a fault test what happens to it. Called by any thread. */
interface NodeReports {

    /** The handler is called. */
    void delivered(FaultDelivery delivery);

    /** The handler is about to return. */
    void handled(FaultDelivery delivery);

    /** A timer got there. */
    void reached(NodePhase phase, String key);

    /** It ended by itself, which it must not. */
    void failed(String node, String cause);

    /** The whole process stood still. */
    void stalled(String node, long fromMs, long toMs);
}
