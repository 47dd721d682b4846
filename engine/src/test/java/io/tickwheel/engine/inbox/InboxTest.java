package io.tickwheel.engine.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Who is woken, and what room there is. */
final class InboxTest {

    private final Inbox inbox = new Inbox();
    private final AtomicInteger wakes = new AtomicInteger();

    /** Else it would wait as long as a loop may sleep. */
    @Test
    void whatCameBeforeTheLoopWasKnownWakesIt() {
        inbox.note(() -> {});
        assertThat(wakes).hasValue(0);
        inbox.start(wakes::incrementAndGet);
        assertThat(wakes).hasValue(1);
        inbox.note(() -> {});
        assertThat(wakes).hasValue(2);
    }

    @Test
    void roomOfAnAnswerIsGivenBackOnce() {
        inbox.awaitRoom(10);
        assertThat(inbox.tryRoom(Inbox.MAX_BYTES)).isFalse();
        inbox.answered(4);
        inbox.answered(6);
        assertThat(inbox.tryRoom(Inbox.MAX_BYTES)).as("its turn goes on").isFalse();
        inbox.freeAnswered();
        inbox.freeAnswered();
        assertThat(inbox.tryRoom(Inbox.MAX_BYTES)).isTrue();
        assertThat(inbox.tryRoom(1)).isFalse();
    }
}
