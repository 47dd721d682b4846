package io.tickwheel.store.redis.partition;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.Changed;
import io.tickwheel.store.Lane;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Text;
import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.loading.RedisLane;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Commands as they are sent. The clock of the server is at 0. */
final class CommandsTest {

    private static final TimerKey KEY = new TimerKey("q", "k");
    private static final byte[] FIELD = Layout.field(KEY);
    private static final byte[] OTHER = Layout.field(new TimerKey("q", "l"));
    private static final int NUMBER_AT = 5;
    private static final String NAME = "\0\3q\0k";
    private static final long NEAR_MS = 24L * 3_600_000;
    private static final long FAR_MS = NEAR_MS + 1;

    private final LoopNode node = new LoopNode();
    private final Partitions partitions = new Partitions(node.context);
    private final Commands commands = new Commands(node.context, partitions, 0x1122334455667788L);

    private static <T> Answer<T> none() {
        return new Answer<>() {
            @Override
            public void accept(T result) {
                throw new AssertionError("nobody answers");
            }

            @Override
            public void fail(StoreException failure) {
                throw new AssertionError("nobody answers", failure);
            }
        };
    }

    /** The only call with commands. */
    private Call sent() {
        partitions.work();
        assertThat(node.link.sent).hasSize(1);
        return node.link.sent.get(0);
    }

    /** The first command of the call. */
    private String encoded() {
        return new String(sent().arguments.get(9), ISO_8859_1);
    }

    private String slice() {
        List<byte[]> keys = sent().keys;
        String key = Text.string(keys.get(keys.size() - 1));
        return key.substring(key.indexOf('}') + 2);
    }

    private static String number(long number) {
        StringBuilder bytes = new StringBuilder();
        for (int shift = 56; shift >= 0; shift -= 8) {
            bytes.append((char) (number >> shift & 0xff));
        }
        return bytes.toString();
    }

    private void schedule(long dueAtMs) {
        commands.schedule(
                new ScheduleCommand(KEY, dueAtMs, new byte[] {9}, OnConflict.KEEP, 0),
                FIELD,
                CommandsTest.<Scheduled>none(),
                () -> {});
    }

    private void reschedule(long dueAtMs) {
        commands.change(ChangeCommand.reschedule(KEY, dueAtMs), FIELD, CommandsTest.<Changed>none(), () -> {});
    }

    @Test
    void timerThatIsDueADayAheadGoesToANearSlice() {
        schedule(NEAR_MS);
        assertThat(encoded()).isEqualTo("S" + NAME + "\1\0" + number(NEAR_MS) + number(0x1122334455667788L) + "\0\0\t");
        assertThat(slice()).isEqualTo("zn" + (NEAR_MS >> 16));
    }

    @Test
    void timerThatIsDueLaterGoesToAFarSlice() {
        schedule(FAR_MS);
        assertThat(encoded()).isEqualTo("S" + NAME + "\1\1" + number(FAR_MS) + number(0x1122334455667788L) + "\0\0\t");
        assertThat(slice()).isEqualTo("zf" + (FAR_MS >> 22));
    }

    @Test
    void changedTimerGoesToTheSliceOfItsNewTime() {
        reschedule(FAR_MS);
        assertThat(encoded()).isEqualTo("E" + NAME + number(0x1122334455667788L) + "\0\0\1" + number(FAR_MS));
        assertThat(slice()).isEqualTo("zf" + (FAR_MS >> 22));
    }

    @Test
    void changedTimerGoesToANearSlice() {
        reschedule(NEAR_MS);
        assertThat(encoded()).isEqualTo("E" + NAME + number(0x1122334455667788L) + "\0\0\0" + number(NEAR_MS));
        assertThat(slice()).isEqualTo("zn" + (NEAR_MS >> 16));
    }

    /** Else the second would be taken for the first, sent again. */
    @Test
    void eachCommandHasANumberOfItsOwn() {
        schedule(5);
        RedisLane lane = node.context.lanes.of(new Lane("q", Lane.QUEUE_ROUTE));
        RedisTimer timer = new RedisTimer(node.layout.partition(FIELD), lane, FIELD, 4, 1);
        commands.claim(timer, granted -> {});
        reschedule(6);
        commands.cancel(KEY, FIELD, null, null, CommandsTest.<Cancelled>none(), () -> {});
        List<String> sent = new ArrayList<>();
        for (byte[] each : sent().arguments.subList(9, 13)) {
            sent.add(new String(each, ISO_8859_1));
        }
        assertThat(sent.get(0)).contains(number(0x1122334455667788L));
        assertThat(sent.get(1)).isEqualTo("L" + NAME + number(4) + number(0x1122334455667789L));
        assertThat(sent.get(2)).contains(number(0x112233445566778aL));
        assertThat(sent.get(3)).isEqualTo("C" + NAME + number(0x112233445566778bL));
    }

    /** What a server does only later would undo what was done since. */
    @Test
    void callThatChangesSomethingHasANumber() {
        commands.find(KEY, FIELD, CommandsTest.<List<TimerView>>none(), () -> {});
        assertThat(Text.string(sent().arguments.get(NUMBER_AT))).isEmpty();
        node.link.sent.clear();
        commands.cancel(new TimerKey("q", "l"), OTHER, null, null, CommandsTest.<Cancelled>none(), () -> {});
        assertThat(Text.string(sent().arguments.get(NUMBER_AT))).isEqualTo("1");
    }

    @Test
    void commandMayBeCarriedOutAsLongAsItsClientWaits() {
        schedule(5);
        node.turn.begin(LoopNode.TIMEOUT.toNanos() / 4);
        assertThat(Text.string(sent().arguments.get(0))).isEqualTo("10000");
    }
}
