package io.tickwheel.wheel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LongWheelTest implements CascadeContract {
    private static final int SEGMENT = Entries.SEGMENT_ENTRIES;

    @Override
    public AnyWheel wheel(long startTick) {
        return AnyWheel.primitive(new LongWheel(startTick));
    }

    @Test
    void handleThatEndedIsNotConfusedWithTheTimerThatTookItsPlace() {
        LongWheel wheel = new LongWheel(0);
        long old = wheel.schedule(5);
        wheel.cancel(old);
        long young = wheel.schedule(6);
        assertThat(LongWheel.index(young)).isEqualTo(LongWheel.index(old));
        assertThat(young).isNotEqualTo(old);
        assertThat(wheel.cancel(old)).isFalse();
        assertThat(wheel.reschedule(old, 1)).isFalse();
        assertThat(wheel.isScheduled(old)).isFalse();
        assertThatThrownBy(() -> wheel.deadlineTick(old)).isInstanceOf(IllegalArgumentException.class);
        assertThat(wheel.isScheduled(young)).isTrue();
        assertThat(wheel.deadlineTick(young)).isEqualTo(6);
        assertExpired(wheel, 6, young);
    }

    @Test
    void handlesEndWhenTheTimerExpiresIsCancelledOrCleared() {
        LongWheel wheel = new LongWheel(0);
        long expired = wheel.schedule(5);
        long cancelled = wheel.schedule(5);
        long cleared = wheel.schedule(500);
        wheel.cancel(cancelled);
        assertExpired(wheel, 5, expired);
        wheel.clear();
        for (long handle : new long[] {expired, cancelled, cleared}) {
            assertThat(wheel.isScheduled(handle)).isFalse();
            assertThat(wheel.cancel(handle)).isFalse();
            assertThat(wheel.reschedule(handle, 5)).isFalse();
        }
        assertThat(wheel.isEmpty()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            longs = {
                0,
                1,
                -1,
                1L << 32 | 1,
                1L << 32 | SEGMENT,
                1L << 32 | 0xFFFF_FFFFL,
                1L << 32 | 0x8000_0000L,
                2L << 32,
                // What is stored for the freed place 2: its generation, negated.
                -1L << 32 | 2,
                Long.MIN_VALUE,
                Long.MAX_VALUE
            })
    void numberThatIsNoHandleIsNotThatOfATimer(long handle) {
        LongWheel wheel = new LongWheel(0);
        long first = wheel.schedule(5);
        long second = wheel.schedule(5);
        long third = wheel.schedule(5);
        wheel.cancel(third);
        wheel.cancel(second);
        assertThat(first).isEqualTo(1L << 32);
        assertThat(wheel.isScheduled(handle)).isFalse();
        assertThat(wheel.cancel(handle)).isFalse();
        assertThat(wheel.reschedule(handle, 7)).isFalse();
        assertThatThrownBy(() -> wheel.deadlineTick(handle))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("handle " + handle + " is not that of a scheduled timer");
        assertThat(wheel.size()).isEqualTo(1);
        assertExpired(wheel, 5, first);
    }

    @Test
    void noHandleIsThatOfATimerOfAWheelThatNeverHadOne() {
        assertThat(new LongWheel(0).cancel(1L << 32)).isFalse();
    }

    @Test
    void rescheduledTimerKeepsItsHandle() {
        LongWheel wheel = new LongWheel(0);
        long handle = wheel.schedule(5);
        assertThat(wheel.reschedule(handle, 1L << 40)).isTrue();
        assertThat(wheel.deadlineTick(handle)).isEqualTo(1L << 40);
        assertExpired(wheel, 5);
        assertExpired(wheel, 1L << 40, handle);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 0x7FFF_FFFFL, 0x8000_0000L, 0xFFFF_FFFFL, 0x1_0000_0000L, Long.MAX_VALUE})
    void deadlineIsKeptToTheLastBit(long tick) {
        LongWheel wheel = new LongWheel(0);
        long handle = wheel.schedule(tick);
        assertThat(wheel.deadlineTick(handle)).isEqualTo(tick);
        List<Long> deadlines = new ArrayList<>();
        wheel.advance(tick, 1, (expired, deadlineTick) -> deadlines.add(deadlineTick));
        assertThat(deadlines).containsExactly(tick);
    }

    @Test
    void indexesAreDenseAndTheOneFreedLastIsUsedFirst() {
        LongWheel wheel = new LongWheel(0);
        assertThat(wheel.capacity()).isZero();
        List<Long> handles = new ArrayList<>();
        for (int i = 0; i < SEGMENT; i++) {
            handles.add(wheel.schedule(i));
            assertThat(LongWheel.index(handles.get(i))).isEqualTo(i);
        }
        assertThat(wheel.capacity()).isEqualTo(SEGMENT);
        for (int index : new int[] {7, 4_000, 9}) {
            wheel.cancel(handles.get(index));
        }
        for (int index : new int[] {9, 4_000, 7, SEGMENT}) {
            assertThat(LongWheel.index(wheel.schedule(1))).isEqualTo(index);
        }
        assertThat(wheel.capacity()).isEqualTo(2 * SEGMENT);
    }

    @Test
    void capacityIsThatOfTheMostTimersEverScheduledAtATime() {
        LongWheel wheel = new LongWheel(0);
        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < 10 * SEGMENT; i++) {
                wheel.schedule(i + 1_000L * round);
            }
            assertThat(wheel.capacity()).isEqualTo(10 * SEGMENT);
            if (round % 2 == 0) {
                wheel.clear();
            } else {
                wheel.advance(1_000_000, Integer.MAX_VALUE, (handle, deadlineTick) -> {});
            }
            assertThat(wheel.isEmpty()).isTrue();
        }
    }

    @Test
    void handlerMayUseThePlaceOfTheTimerThatExpires() {
        LongWheel wheel = new LongWheel(0);
        long first = wheel.schedule(5);
        List<Long> expired = new ArrayList<>();
        wheel.advance(5, 1, (handle, deadlineTick) -> {
            expired.add(handle);
            assertThat(wheel.cancel(handle)).isFalse();
            expired.add(wheel.schedule(deadlineTick + 1));
        });
        assertThat(expired.get(0)).isEqualTo(first);
        assertThat(LongWheel.index(expired.get(1))).isEqualTo(LongWheel.index(first));
        assertExpired(wheel, 6, expired.get(1));
    }

    @Test
    void placeThatHadAllGenerationsIsNotUsedAgain() {
        LongWheel wheel = new LongWheel(0, new Entries(Entries.MAX_ENTRIES, 3));
        List<Long> handles = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            long handle = wheel.schedule(i);
            handles.add(handle);
            assertThat(handles.stream().filter(wheel::isScheduled)).containsExactly(handle);
            wheel.cancel(handle);
        }
        assertThat(handles).doesNotHaveDuplicates();
        assertThat(handles.stream().map(LongWheel::index)).containsExactly(0, 0, 0, 1, 1, 1, 2);
        assertThat(handles).noneMatch(wheel::cancel);
    }

    @Test
    void handleOfTheLastGenerationIsPositive() {
        assertThat((long) Integer.MAX_VALUE << 32 | LongWheel.MAX_TIMERS - 1).isPositive();
    }

    @Test
    void timerBeyondTheLastPlaceIsRefused() {
        LongWheel wheel = new LongWheel(0, new Entries(2 * SEGMENT, Integer.MAX_VALUE));
        long last = 0;
        for (int i = 0; i < 2 * SEGMENT; i++) {
            last = wheel.schedule(5);
        }
        assertThatThrownBy(() -> wheel.schedule(4))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("all 8192 places for timers are taken");
        assertThat(wheel.size()).isEqualTo(2 * SEGMENT);
        assertThat(wheel.nextDeadlineTick()).isEqualTo(5);
        wheel.cancel(last);
        assertThat(LongWheel.index(wheel.schedule(4))).isEqualTo(LongWheel.index(last));
        assertThat(LongWheel.MAX_TIMERS).isEqualTo(Integer.MAX_VALUE - 4_095);
    }

    private static void assertExpired(LongWheel wheel, long nowTick, Long... handles) {
        List<Long> expired = new ArrayList<>();
        wheel.advance(nowTick, 100, (handle, deadlineTick) -> expired.add(handle));
        assertThat(expired).containsExactly(handles);
    }
}
