package io.tickwheel.engine.due;

import io.tickwheel.engine.inbox.ContentRoom;

/**
 * How many leases there may be in all, and how much content those may have that no consumer has been given yet; beside what the {@link Credits} allow. What
 * has been given keeps no content here. Owned by the loop.
 */
public final class LeaseCredits {

    /** A lease keeps about half a kilobyte. */
    static final int MOST = 1_000_000;

    private final long mostBytes;
    private final ContentRoom contents;
    private int leased;
    private long bytes;

    /** @param contents what consumers were given, and have not taken yet: nothing more is claimed while that is much */
    public LeaseCredits(long mostBytes, ContentRoom contents) {
        this.mostBytes = mostBytes;
        this.contents = contents;
    }

    /** Leases that are held or are being claimed. */
    public int leased() {
        return leased;
    }

    /** Whether one more may be claimed. What is alone may be of any size. It does not wait for questions: where many are asked, there are always some. */
    boolean admits(int contentBytes) {
        return leased < MOST && contents.hasRoomButForExpected() && (bytes == 0 || bytes + contentBytes <= mostBytes);
    }

    void take(int contentBytes) {
        leased++;
        bytes += contentBytes;
    }

    /** A lease was given to its consumer, with its content. */
    public void given(int contentBytes) {
        bytes -= contentBytes;
    }

    /** A lease has ended that had been given. */
    void end() {
        leased--;
        assert leased >= 0 && bytes >= 0 : "more given back than taken";
    }

    /** One was given up that nobody has been given. */
    void giveBack(int contentBytes) {
        given(contentBytes);
        end();
    }
}
