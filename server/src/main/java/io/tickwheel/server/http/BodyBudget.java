package io.tickwheel.server.http;

/**
 * How many bytes the server holds for requests, all connections together: bodies until their requests are answered, those of polls
 * until they are read, and answers until the network has taken them. Each has a limit of its own, but enough of them would fill the heap. For one event loop.
 *
 * <p>The heap is shared out by its largest size, so that a small one refuses requests and is not overrun by them:
 *
 * <pre>
 *   heap           bodies and answers   longest batch   connections
 *   64 MiB                8 MiB              8 MiB          1,024
 *   128 MiB              16 MiB             16 MiB          2,048
 *   1 GiB               128 MiB             16 MiB         10,000
 * </pre>
 */
public final class BodyBudget {

    /** Smaller answers are not counted; they are not larger than what a connection takes anyway. */
    static final int COUNTED_FROM = 16 << 10;

    private static final int HEAP_SHARE = 8;
    private static final int HEAP_OF_CONNECTION = 64 << 10;

    private final long bytes;
    private long taken;

    /** What of it is held for answers that the network has not taken. */
    private long unread;

    /** @param bytes at least the longest body of one timer, which must always fit into a budget that nothing is taken from */
    BodyBudget(long bytes) {
        assert bytes >= Limits.BODY : bytes;
        this.bytes = bytes;
    }

    /**
     * An eighth of the heap: a body is held about three times over while it is put together and read, and the timers need the
     * rest.
     */
    public static BodyBudget ofHeap(long maxHeapBytes) {
        return new BodyBudget(Math.max(Limits.BODY, maxHeapBytes / HEAP_SHARE));
    }

    /**
     * How many connections may be open; one with a head as long as it may be takes about as much as its share of the heap. Of the files that may be opened they are a half: the store, and callbacks, need some too.
     *
     * @param openFilesLeft how many files, connections among them, the process may open beside those that it has open
     */
    public static int connections(long maxHeapBytes, long openFilesLeft) {
        long most = Math.min(maxHeapBytes / HEAP_OF_CONNECTION, openFilesLeft / 2);
        return (int) Math.max(1, Math.min(Limits.CONNECTIONS, most));
    }

    /** How long the body of a batch may be: one that is alone must fit. */
    int longestBatch() {
        return (int) Math.min(Limits.BATCH_BODY, bytes);
    }

    /** Takes all of {@code count}, or nothing and tells so. */
    boolean take(long count) {
        if (count > bytes - taken) {
            return false;
        }
        taken += count;
        return true;
    }

    /** Takes {@code count} even if there is less: what has been done must be answered. Others are refused until it is given back. */
    void force(long count) {
        taken += count;
    }

    void giveBack(long count) {
        taken -= count;
        assert taken >= 0 : taken;
    }

    /** Notes that so much of what was taken is held for an answer. */
    void holdAnswer(long count) {
        unread += count;
    }

    /** Gives back what was held for an answer. */
    void giveBackAnswer(long count) {
        unread -= count;
        giveBack(count);
    }

    /**
     * How many parts of an answer there is room for, from the first one on. When no other answer is held, one may be of any size: else a large one would be refused for ever, as there are always
     * requests that wait.
     *
     * @param held what the request of this answer holds until then
     * @param parts how many bytes each of them has
     */
    int fitting(long held, long... parts) {
        long room = bytes - (taken - held);
        long sum = 0;
        for (int i = 0; i < parts.length; i++) {
            sum += parts[i];
            boolean isFirstOfAll = i == 0 && unread == 0;
            if (sum >= COUNTED_FROM && sum > room && !isFirstOfAll) {
                return i;
            }
        }
        return parts.length;
    }

    long bytes() {
        return bytes;
    }

    long taken() {
        return taken;
    }
}
