package io.tickwheel.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("races")
final class PendingLimitTest {

    /** Otherwise each timeout that comes back when there is no room would leave room for one more behind it. */
    @Test
    void placeThatIsTakenBackBeyondTheLimitIsMissingUntilItIsGivenBack() {
        PendingLimit limit = new PendingLimit(1);
        assertThat(limit.tryAcquire()).isTrue();
        limit.takeBack();
        limit.release();
        assertThat(limit.tryAcquire()).as("two were taken of one").isFalse();
        limit.release();
        assertThat(limit.tryAcquire()).isTrue();
        assertThat(limit.tryAcquire()).isFalse();
    }
}
