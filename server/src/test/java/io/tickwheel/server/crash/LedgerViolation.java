package io.tickwheel.server.crash;

/** A promise broken towards the timer of a key. */
record LedgerViolation(Kind kind, String key, String what) {

    /** The promises, the gravest first: where several explain the same answer, the first one is reported. */
    enum Kind {
        /** A timer was accepted, nothing ended it, and it never arrived. */
        LOST,
        /** A callback arrived before its time. */
        EARLY,
        /** The answer was {@code CANCELLED}, and an attempt was running, had been made by the same process, or came later. */
        CANCELLED_AND_FIRED,
        /** A version came after the answer to a later one had said that it never will. */
        STALE,
        /** A timer came again after an answer had shown it finished. */
        RESURRECTED,
        /** A callback that nobody asked for, or with an id, version or content that is not its own. */
        UNEXPECTED,
        /** A timer came twice, and no kill explains it. */
        UNTIED_DUPLICATE,
        /** Two answers, or an answer and an arrival, cannot both be true. */
        CONTRADICTION,
        /** A well-formed request was refused, or got no usable answer from a server that was alive. */
        UNANSWERED
    }
}
