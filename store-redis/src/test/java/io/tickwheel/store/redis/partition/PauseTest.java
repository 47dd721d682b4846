package io.tickwheel.store.redis.partition;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class PauseTest {

    private static final long MS = 1_000_000;

    private final LoopNode node = new LoopNode();
    private final Pause pause = new Pause(node.context);

    private long lengthNanos() {
        pause.begin();
        return pause.idleNanos(node.turn.nowNanos());
    }

    @Test
    void eachIsTwiceAsLongUpToABound() {
        assertThat(lengthNanos()).isEqualTo(5 * MS / 2);
        assertThat(lengthNanos()).isEqualTo(10 * MS / 2);
        assertThat(lengthNanos()).isEqualTo(20 * MS / 2);
        for (int i = 0; i < 10; i++) {
            pause.begin();
        }
        assertThat(lengthNanos()).isEqualTo(200 * MS / 2);
    }

    /** So that nodes which fail together do not try again together. */
    @Test
    void halfOfItIsDrawn() {
        node.lot = 5 * MS / 2 - 1;
        assertThat(lengthNanos()).isEqualTo(5 * MS - 1);
        node.lot = 5 * MS + 3;
        assertThat(lengthNanos()).isEqualTo(5 * MS + 3);
    }

    @Test
    void itEndsAtItsTime() {
        node.turn.begin(7 * MS);
        assertThat(pause.lasts(7 * MS)).isFalse();
        assertThat(pause.idleNanos(7 * MS)).isEqualTo(Long.MAX_VALUE);
        pause.begin(3 * MS);
        assertThat(pause.lasts(10 * MS - 1)).isTrue();
        assertThat(pause.idleNanos(9 * MS)).isEqualTo(MS);
        assertThat(pause.idleNanos(11 * MS)).isZero();
        assertThat(pause.lasts(10 * MS)).isFalse();
        assertThat(pause.idleNanos(10 * MS)).as("when it is over").isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void whatGoesWellMakesTheNextOneTheShortest() {
        pause.begin(3 * MS);
        assertThat(pause.isGrowing()).as("by a brief one").isFalse();
        lengthNanos();
        lengthNanos();
        assertThat(pause.isGrowing()).isTrue();
        pause.forget();
        assertThat(pause.isGrowing()).isFalse();
        assertThat(lengthNanos()).isEqualTo(5 * MS / 2);
    }
}
