package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

class LogRecordTest {

    private static final List<TimerState> WRITTEN = List.of(
            TimerState.PENDING, TimerState.COMPLETED, TimerState.CANCELLED, TimerState.DEAD, TimerState.EXPIRED);

    private static ByteBuffer bytes(LogRecord... records) {
        FrameBuffer buffer = new FrameBuffer();
        for (LogRecord record : records) {
            record.write(buffer);
        }
        int size = buffer.size();
        ByteBuffer sealed = buffer.seal(0, 0, 0, 0);
        ByteBuffer bytes = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        return bytes.put(sealed.limit(size)).flip().position(Frame.HEADER_BYTES);
    }

    @Property(tries = 200)
    void scheduleIsReadBackAsWritten(
            @ForAll long id,
            @ForAll @StringLength(max = 300) String queue,
            @ForAll @StringLength(max = 300) String key,
            @ForAll long version,
            @ForAll long dueAtMs,
            @ForAll int attempts,
            @ForAll long hash,
            @ForAll @Size(max = 100) byte[] content) {
        // Unpaired surrogates are no text; the edge refuses them.
        TimerKey name = new TimerKey(text(queue), text(key));
        for (TimerState state : WRITTEN) {
            LogRecord.Schedule written =
                    new LogRecord.Schedule(id, name, version, dueAtMs, attempts, state, hash, content);
            LogRecord.Schedule read = (LogRecord.Schedule) LogRecord.read(bytes(written));
            assertThat(read).usingRecursiveComparison().isEqualTo(written);
        }
    }

    private static String text(String any) {
        return new String(any.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }

    @Property(tries = 100)
    void changesAreReadBackInTheirOrder(@ForAll long id, @ForAll long dueAtMs, @ForAll int attempts) {
        LogRecord cancel = new LogRecord.Cancel(id);
        LogRecord retry = new LogRecord.Retry(id, dueAtMs, attempts);
        LogRecord finish = new LogRecord.Finish(id, TimerState.DEAD, attempts);
        ByteBuffer in = bytes(cancel, retry, finish);
        assertThat(List.of(LogRecord.read(in), LogRecord.read(in), LogRecord.read(in)))
                .containsExactly(cancel, retry, finish);
        assertThat(in.hasRemaining()).isFalse();
    }

    @Test
    void numbersOfTheStatesNeverChange() {
        assertThat(WRITTEN).extracting(LogRecord::number).containsExactly((byte) 0, (byte) 1, (byte) 2, (byte) 3, (byte)
                4);
        assertThat(WRITTEN)
                .allSatisfy(state ->
                        assertThat(LogRecord.state(LogRecord.number(state))).isEqualTo(state));
    }

    @Test
    void claimIsNotWritten() {
        assertThatThrownBy(() -> LogRecord.number(TimerState.CLAIMED)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void unknownTypeIsRefused() {
        ByteBuffer in = bytes(new LogRecord.Cancel(1));
        in.put(Frame.HEADER_BYTES + Integer.BYTES, (byte) 9);
        assertThatThrownBy(() -> LogRecord.read(in))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("record type 9 is not known");
    }

    @Test
    void unknownStateIsRefused() {
        ByteBuffer in = bytes(new LogRecord.Finish(1, TimerState.DEAD, 2));
        in.put(Frame.HEADER_BYTES + Integer.BYTES + 1 + Long.BYTES, (byte) 7);
        assertThatThrownBy(() -> LogRecord.read(in))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("timer state 7 is not known");
    }

    @Test
    void recordOfAnotherLengthThanItSaysIsRefused() {
        ByteBuffer in = bytes(new LogRecord.Cancel(1), new LogRecord.Cancel(2));
        in.putInt(Frame.HEADER_BYTES, 10);
        assertThatThrownBy(() -> LogRecord.read(in))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must end at");
    }
}
