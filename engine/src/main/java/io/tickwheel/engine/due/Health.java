package io.tickwheel.engine.due;

/**
 * What is known of a destination by the attempts that have ended there. Owned by the loop.
 *
 * <pre>
 *   not known ---.
 *   quick     ---+--- one has reached somebody, in less than a second ---> quick
 *   slow      ---+--- one has reached somebody, later -------------------> slow
 *   doubtful  ---'--- one has reached nobody ----------------------------> doubtful
 * </pre>
 *
 * What is not known is doubtful too once its first attempts hang, and what is quick is slow.
 */
public final class Health {

    private final Breaker breaker;
    private boolean answered;
    private boolean quick;

    private Health(boolean ofHandler) {
        breaker = new Breaker(ofHandler);
    }

    /** One of a destination that is not known. */
    public static Health unknown() {
        return new Health(false);
    }

    /** One of code of this program, which is always to be reached. */
    public static Health ofHandler() {
        return new Health(true);
    }

    /** Holds attempts back while nobody is reached. */
    public Breaker breaker() {
        return breaker;
    }

    /** Whether the last attempt that ended has reached somebody quickly, as far as others did not hang since. */
    public boolean isQuick() {
        return quick;
    }

    /**
     * Whether it is to be doubted that an attempt which starts now reaches anybody.
     *
     * @param hangs whether attempts run of which none has ended for long
     */
    boolean isDoubtful(boolean hangs) {
        return breaker.hasFailures() || (hangs && !answered);
    }

    void noteEnd(boolean reached, boolean quickly, long nowNanos) {
        breaker.noteEnd(reached, nowNanos);
        answered = reached;
        quick = reached && quickly;
    }

    void noteHanging() {
        quick = false;
    }
}
