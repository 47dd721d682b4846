package io.tickwheel.store.redis.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.redis.layout.Text;
import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.HeldCalls;
import io.tickwheel.store.redis.link.Reply;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class StoreTimeTest {

    private static final long START_NANOS = 1_000_000_000_000L;
    private static final long START_MS = 1_900_000_000_000L;

    private long nanos = START_NANOS;
    private long connection = 1;
    private final StoreTime time = new StoreTime(0, () -> nanos);

    @Test
    void shortestWayIsTheBest() {
        asks(1_000, 400, 0);
        asks(100, 50, 0);
        asks(1_000, 990, 0);
        assertKnown(0, 0);
    }

    @Test
    void clockThatWasSteppedIsFollowedAtOnce() {
        for (int i = 0; i < 20; i++) {
            asks(100, 50, 0);
        }
        asks(2_000, 1_000, -3_600_000);
        assertKnown(-3_600_000, 0);
        asks(2_000, 1_500, 3_600_000);
        assertKnown(3_600_000, 500);
        asks(100, 50, 3_600_000);
        assertKnown(3_600_000, 0);
    }

    @Test
    void replyThatTookLongIsNoStep() {
        asks(100, 50, 0);
        asks(3_000_000, 10, 0);
        assertKnown(0, 0);
    }

    /** Clocks drift: the best sample counts only while it is among the last ones. */
    @Test
    void shortestWayIsForgottenWithTime() {
        asks(100, 50, 0);
        for (int i = 0; i < 15; i++) {
            asks(1_000, 400, 0);
        }
        assertKnown(0, 0);
        asks(1_000, 400, 0);
        assertKnown(0, -100);
    }

    /** It may lead to another server, whose clock is a little ahead. */
    @Test
    void otherConnectionBeginsAnew() {
        asks(100, 50, 0);
        connection = 2;
        asks(3_000, 1_500, 2);
        assertKnown(2, 0);
    }

    @Test
    void clocksMayDriftALittle() {
        asks(100, 50, 0);
        asks(200, 100, 5);
        assertKnown(0, 0);
        asks(200, 100, 6);
        assertKnown(6, 0);
    }

    /** The server's time lies anywhere on the way there and back: only what is beyond both is a step. */
    @Test
    void waysThatTakeLongExplainMore() {
        asks(10_000, 5_000, 0);
        asks(20_000, 10_000, 20);
        assertKnown(0, 0);
        asks(20_000, 10_000, 21);
        assertKnown(21, 0);
    }

    @Test
    void serverIsAskedTwiceASecondAndOnceAtATime() {
        HeldCalls link = new HeldCalls();
        nanos = START_NANOS - 1;
        time.work(nanos, link);
        assertThat(link.sent).isEmpty();
        nanos = START_NANOS;
        time.work(nanos, link);
        time.work(nanos + 700_000_000, link);
        assertThat(link.sent).hasSize(1);
        link.fail(Reply.Outcome.UNAVAILABLE);
        time.work(nanos + 499_999_999, link);
        assertThat(link.sent).isEmpty();
        time.work(nanos + 500_000_000, link);
        assertThat(link.sent).hasSize(1);
        answer(link);
        assertThat(time.nowMs()).isEqualTo(START_MS);
        time.work(nanos, link);
        assertThat(link.sent).isEmpty();
        time.doubt();
        time.work(nanos, link);
        assertThat(link.sent).as("as something does not fit").hasSize(1);
    }

    private static void answer(HeldCalls link) {
        link.answer(List.of(Text.bytes(START_MS / 1_000), Text.bytes(0)));
    }

    /** Asks, and has the answer made after a part of the way. */
    private void asks(long wayMicros, long thereMicros, long stepMs) {
        Call question = time.question();
        nanos += thereMicros * 1_000;
        long micros = micros(stepMs);
        nanos += (wayMicros - thereMicros) * 1_000;
        List<byte[]> answer = List.of(Text.bytes(micros / 1_000_000), Text.bytes(micros % 1_000_000));
        question.answered(new Reply(Reply.Outcome.DONE, answer, "", connection));
        nanos += 500_000_000;
    }

    private long micros(long stepMs) {
        return (START_MS + stepMs) * 1_000 + (nanos - START_NANOS) / 1_000;
    }

    private void assertKnown(long stepMs, long aheadMicros) {
        long known = micros(stepMs) + aheadMicros;
        assertThat(time.at(nanos)).isEqualTo(Instant.ofEpochSecond(known / 1_000_000, known % 1_000_000 * 1_000));
    }
}
