package io.tickwheel.store.redis.faults;

/**
 * What can make a timer come twice.
 *
 * @param node whom it befell; empty for all
 * @param fromMs when it began
 * @param toMs when it was over
 */
record FaultCause(Kind kind, String node, long fromMs, long toMs) {

    enum Kind {
        /** The node was killed. */
        KILLED,
        /** The node was stopped, and went on later. */
        STOPPED,
        /** The node got no core for a while. */
        STALLED,
        /** The servers were away, or changed their roles, or the network lost something. */
        SERVERS
    }

    /** Whether it can have befallen a node between those times. */
    boolean befell(String who, long sinceMs, long untilMs) {
        return (node.isEmpty() || node.equals(who)) && fromMs <= untilMs && toMs >= sinceMs;
    }
}
