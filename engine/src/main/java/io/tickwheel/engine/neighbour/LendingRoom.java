package io.tickwheel.engine.neighbour;

import io.tickwheel.engine.lease.Poll;
import io.tickwheel.engine.post.Letter;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How much content may be on its way to other nodes, and which of their takes wait for that. Those of one node are served in the order in which they came, and nodes take turns. Sizes are in
 * bytes. Owned by the loop.
 *
 * <pre>
 *   to one node      10 MiB, divided by how many nodes may lend to it: its share; from each one at most 5 MiB
 *                    beside that one lease of up to 20 MiB of one of them, that the node has made room for
 *   to all of them   what may be on its way to Redis; what a node has not confirmed for a while counts no more
 * </pre>
 */
final class LendingRoom {

    /**
     * What all nodes together send to one, but for what is large. With one that is large it is less than the 32 MiB of {@code client-output-buffer-limit pubsub}: Redis closes
     * the connection on which a node hears when so much waits there.
     */
    static final int MOST_TO_ONE = 10 << 20;

    /** The largest lease that is lent, with its headers and names: of the largest payload, and 4 MiB. */
    static final int LARGEST = 20 << 20;

    /** The largest content that is usual. */
    private static final int LARGE = 1 << 20;

    /** What this node sends to one at most: what is claimed for it in vain is read from the store again. */
    private static final int MOST_AT_ONCE = Poll.ENOUGH_BYTES + LARGE;

    /** What this node sends to all, but for one that is alone: a store carries 24 MiB of mail at a time. */
    private static final int MOST_TO_ALL = 12 << 20;

    /** In the order in which they are looked at: who was served comes last. */
    private final Map<Long, Borrower> borrowers = new LinkedHashMap<>();

    /** What is on its way to all, but for what was not confirmed for a while: that has left, or is lost. */
    private long bytes;

    /** How many nodes lend to each of the others, as far as is known. */
    private int lenders = 1;

    /**
     * A take that is to be served, with about as much content as it brings.
     *
     * @param untilNanos how long it waits, on the monotonic clock
     */
    record Taker(long from, Letter.Take letter, long expectedBytes, long untilNanos) {}

    /** One of the nodes that take. */
    private static final class Borrower {

        final ArrayDeque<Taker> takers = new ArrayDeque<>();

        /** What was given to it and not confirmed, or is expected to be given. */
        long bytes;

        boolean isIdle() {
            return takers.isEmpty() && bytes == 0;
        }
    }

    /** Learns how many nodes may lend to one of the others. */
    void lentBy(int nodes) {
        lenders = Math.max(1, nodes);
    }

    /** What this node may send to one of the others. */
    private long share() {
        return Math.min(MOST_AT_ONCE, MOST_TO_ONE / lenders);
    }

    /** After so much content a take gets no more: with one more timer of usual size that is its share. */
    int enoughBytes() {
        return (int) Math.max(share() / 2, share() - LARGE);
    }

    /** Whether a lease of so many bytes is given only to a node that has made room for it. */
    boolean isLarge(long leaseBytes) {
        return leaseBytes > share();
    }

    void add(Taker taker) {
        borrower(taker.from).takers.add(taker);
    }

    private Borrower borrower(long node) {
        return borrowers.computeIfAbsent(node, first -> new Borrower());
    }

    boolean hasTakers() {
        return borrowers.values().stream().anyMatch(each -> !each.takers.isEmpty());
    }

    /**
     * The take that is to be served next, for which room is taken; null when none may be.
     *
     * @param nowNanos those that wait no longer are passed over
     */
    @Nullable
    Taker next(long nowNanos) {
        for (Map.Entry<Long, Borrower> each : borrowers.entrySet()) {
            Borrower borrower = each.getValue();
            borrower.takers.removeIf(taker -> taker.untilNanos - nowNanos <= 0);
            Taker first = borrower.takers.peek();
            if (first == null || !fitsShare(borrower.bytes, first.expectedBytes)) {
                continue;
            }
            if (!fits(first.expectedBytes)) {
                // Behind it wait the others, or small ones would always be before a large one.
                return null;
            }
            long node = each.getKey();
            borrower.takers.remove();
            borrowers.remove(node);
            borrowers.put(node, borrower);
            take(node, first.expectedBytes);
            return first;
        }
        return null;
    }

    private boolean fitsShare(long before, long more) {
        return before == 0 || before + more <= share();
    }

    private boolean fits(long more) {
        return bytes == 0 || bytes + more <= MOST_TO_ALL;
    }

    /**
     * Whether so much may be sent to a node.
     *
     * @param mayBeLarge whether the node has made room for one that is large, which goes alone
     */
    boolean hasRoom(long node, long more, boolean mayBeLarge) {
        Borrower borrower = borrowers.get(node);
        return more <= (mayBeLarge ? LARGEST : share())
                && fits(more)
                && fitsShare(borrower == null ? 0 : borrower.bytes, more);
    }

    /** Notes that so much is on its way to a node. */
    void take(long node, long more) {
        bytes += more;
        borrower(node).bytes += more;
    }

    /** Notes that so much is not on its way to a node any more. */
    void free(long node, long less) {
        bytes -= less;
        left(node, less);
    }

    /** Notes that a gift of so much was not confirmed for a while: only its own node waits for it any longer. */
    void fallSilent(long gift) {
        bytes -= gift;
    }

    /** Notes that a gift that fell silent was confirmed after all, or taken back. */
    void endSilence(long node, long gift) {
        left(node, gift);
    }

    private void left(long node, long less) {
        Borrower borrower = borrower(node);
        borrower.bytes -= less;
        assert bytes >= 0 && borrower.bytes >= 0 : "more has come than was sent";
        if (borrower.isIdle()) {
            borrowers.remove(node);
        }
    }

    /** Forgets the takes of one that is no longer alive. */
    void gone(long node) {
        Borrower borrower = borrowers.get(node);
        if (borrower != null) {
            borrower.takers.clear();
            if (borrower.isIdle()) {
                borrowers.remove(node);
            }
        }
    }
}
