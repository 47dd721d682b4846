package io.tickwheel.engine.inbox;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many bytes of contents, and of lists, may be on the heap for callers that have not taken them yet: they do so elsewhere, and may be slower than the loop is. The loop
 * notes what it expects and what it gives; any thread notes what was taken.
 */
public final class ContentRoom {

    private final long mostBytes;
    private final Runnable wake;

    /** What was given and not taken, and what is expected. */
    private final AtomicLong bytes = new AtomicLong();

    /** Owned by the loop. */
    private long expected;

    /** @param wake wakes the loop; called when there is room again */
    public ContentRoom(long mostBytes, Runnable wake) {
        this.mostBytes = mostBytes;
        this.wake = wake;
    }

    /** Whether there may be more; when there is nothing, it may be of any size. */
    public boolean hasRoom() {
        return bytes.get() < mostBytes;
    }

    /** Whether there would be room if nothing came of what is expected. Only the loop calls this, as the two below. */
    public boolean hasRoomButForExpected() {
        return bytes.get() - expected < mostBytes;
    }

    /** Notes that somebody may be given so many bytes soon. */
    public void expect(long contentBytes) {
        expected += contentBytes;
        give(contentBytes);
    }

    /** Notes that what was expected is known now. */
    public void expectNoMore(long contentBytes) {
        expected -= contentBytes;
        assert expected >= 0 : "more has come than was expected";
        take(contentBytes);
    }

    /** Notes that somebody is given so many bytes. */
    public void give(long contentBytes) {
        bytes.addAndGet(contentBytes);
    }

    /** Notes that these were taken. */
    public void take(long contentBytes) {
        long left = bytes.addAndGet(-contentBytes);
        assert left >= 0 : "more taken than given";
        if (left < mostBytes && left + contentBytes >= mostBytes) {
            wake.run();
        }
    }
}
