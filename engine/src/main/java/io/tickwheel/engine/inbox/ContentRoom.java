package io.tickwheel.engine.inbox;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many bytes of contents, and of lists, may be on the heap for callers that have not taken them yet: they do so elsewhere, and may be slower than the loop is. The loop
 * notes what it gives; any thread notes what was taken.
 */
public final class ContentRoom {

    private final long mostBytes;
    private final Runnable wake;
    private final AtomicLong bytes = new AtomicLong();

    /** @param wake wakes the loop; called when there is room again */
    public ContentRoom(long mostBytes, Runnable wake) {
        this.mostBytes = mostBytes;
        this.wake = wake;
    }

    /** Whether there may be more; when there is nothing, it may be of any size. */
    public boolean hasRoom() {
        return bytes.get() < mostBytes;
    }

    /** Notes that somebody is given so many bytes, or may be in a moment. */
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
