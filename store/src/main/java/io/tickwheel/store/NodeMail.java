package io.tickwheel.store;

import java.util.List;

/**
 * Mail between the engines of the nodes that share a calendar. Used by the loop of the engine.
 *
 * <p>Mail may be lost, come twice, or come late: it is never the truth about anything. It costs nothing while none is sent: who waits for mail looks for none.
 */
public interface NodeMail {

    /** The most bytes of one mail: 256 KiB. */
    int MOST_BYTES = 256 << 10;

    /** The address of this opening of the calendar, a random number that no other opening has had. */
    long self();

    /** The addresses of the other openings that are alive, as far as is known, in no order. The same list until that changes. */
    List<Long> others();

    /** Learns who reads the mail; to be called once, before the first turn. What comes before is lost. */
    void start(Reader reader);

    /**
     * Sends mail to one of the others. What is sent to one reader arrives in the order in which it was sent, as far as it arrives.
     *
     * @param mail at most {@value #MOST_BYTES} bytes; must not be changed after the call
     * @return false when too much is on its way already: then nothing was sent
     */
    boolean send(long to, byte[] mail);

    /** Who reads mail. Called on the thread of the calendar, within {@link CalendarLoop#work}; must not call the calendar, but may send mail. */
    interface Reader {

        /** Takes mail that has come; does not fail, whatever it says. */
        void read(byte[] mail);

        /** Learns that mail to one of the others has not arrived, or may not have; not all that is lost is known to be. */
        void notArrived(long to);
    }
}
