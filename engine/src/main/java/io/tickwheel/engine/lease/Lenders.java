package io.tickwheel.engine.lease;

import io.tickwheel.engine.Lease;
import java.util.List;

/** The engines of other nodes, as the polls of this one see them. Owned by the loop. */
public interface Lenders {

    /** A poll of this node waits for timers of a queue. */
    void wanted(PulledQueue queue);

    /** No poll of this node waits for timers of a queue any more. */
    void unwanted(PulledQueue queue);

    /** Gives back what others have lent, of leases that no consumer has seen. */
    void giveBack(List<Lease> leases);

    /** Asks, answers and takes. To be called in each turn of the loop, when attempts have started. */
    void work(long nowMs);

    /** Sends what is to be said. To be called at the end of each turn of the loop. */
    void send();

    /** There are no others. */
    Lenders NONE = new Lenders() {

        @Override
        public void wanted(PulledQueue queue) {}

        @Override
        public void unwanted(PulledQueue queue) {}

        @Override
        public void giveBack(List<Lease> leases) {}

        @Override
        public void work(long nowMs) {}

        @Override
        public void send() {}
    };
}
