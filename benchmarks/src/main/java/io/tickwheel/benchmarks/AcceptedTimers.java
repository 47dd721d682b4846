package io.tickwheel.benchmarks;

import java.net.HttpURLConnection;
import java.util.BitSet;

/**
 * Which timers of a load a server has accepted, refused, or left in doubt, and which have arrived. Written by the load's and the receiver's thread at once.
 */
final class AcceptedTimers implements ResponseCheck, CallbackReceiver.Listener {

    private static final int TOO_MANY_REQUESTS = 429;

    private final BitSet accepted = new BitSet();
    private final BitSet refused = new BitSet();
    private final BitSet arrived = new BitSet();
    private long again;
    private long wrongAnswers;
    private String wrongAnswer = "";

    @Override
    public synchronized int accepted(long number, HttpReader response) {
        int status = response.status();
        if (status == HttpURLConnection.HTTP_CREATED) {
            accepted.set((int) number);
            return 1;
        }
        if (status != TOO_MANY_REQUESTS && status != HttpURLConnection.HTTP_UNAVAILABLE) {
            wrong(status + " " + response.body().strip());
        } else if (response.body().contains("\"applied\":false")) {
            refused.set((int) number);
        } else if (status == TOO_MANY_REQUESTS || !response.body().contains("\"applied\":\"unknown\"")) {
            wrong(status + " " + response.body().strip());
        }
        return 0;
    }

    private void wrong(String answer) {
        wrongAnswers++;
        wrongAnswer = answer;
    }

    @Override
    public synchronized void arrived(HttpReader request, long atMicros) {
        int number = Arrivals.number(request);
        if (arrived.get(number)) {
            again++;
        }
        arrived.set(number);
    }

    /** How many accepted timers have not arrived. */
    synchronized int missing() {
        BitSet missing = (BitSet) accepted.clone();
        missing.andNot(arrived);
        return missing.cardinality();
    }

    /** Throws when a refused timer has arrived, or an answer was neither acceptance nor a refusal as the API describes it. */
    synchronized void check() throws BrokenPromiseException {
        if (wrongAnswers > 0) {
            throw new BrokenPromiseException(wrongAnswers + " answers accept and refuse nothing, as " + wrongAnswer);
        }
        if (refused.intersects(arrived)) {
            throw new BrokenPromiseException("a timer has arrived that was refused");
        }
    }

    synchronized String summary() {
        return String.format(
                "%,d accepted, %,d refused, %,d arrived, %,d of them again",
                accepted.cardinality(), refused.cardinality(), arrived.cardinality(), again);
    }
}
