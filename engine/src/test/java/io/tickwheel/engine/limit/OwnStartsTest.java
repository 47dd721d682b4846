package io.tickwheel.engine.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.RateLimit;
import org.junit.jupiter.api.Test;

/** How many starts a queue of this node alone has, before and after its rate changes. */
final class OwnStartsTest {

    private static final long NOW_MS = 2_000_000_000_000L;
    private static final long SECOND_NANOS = 1_000_000_000;
    private static final StartRule TEN_A_SECOND = new StartRule(null, new RateLimit(10, 5), null);

    private final OwnStarts starts = new OwnStarts();
    private long nanos;

    private void set(StartRule rule) {
        starts.set(rule, NOW_MS, nanos);
    }

    /** Starts as many as may start now. */
    private int start() {
        int started = 0;
        for (starts.begin(); starts.admits(0, NOW_MS, nanos); starts.begin()) {
            starts.take();
            started++;
        }
        return started;
    }

    @Test
    void queueThatGetsARateBeginsWithOneStart() {
        set(TEN_A_SECOND);
        assertThat(start()).isOne();
        nanos += SECOND_NANOS / 10;
        assertThat(start()).isOne();
        nanos += 10 * SECOND_NANOS;
        assertThat(start()).as("the burst").isEqualTo(5);
    }

    @Test
    void whatIsSavedBeyondASmallerBurstIsLostAtOnce() {
        set(TEN_A_SECOND);
        nanos += 10 * SECOND_NANOS;
        assertThat(starts.admits(0, NOW_MS, nanos)).isTrue();
        set(new StartRule(null, new RateLimit(10, 2), null));
        assertThat(start()).isEqualTo(2);
    }

    @Test
    void startsAreNotSavedWhileThereIsNoRate() {
        set(TEN_A_SECOND);
        nanos += 10 * SECOND_NANOS;
        assertThat(starts.admits(0, NOW_MS, nanos)).isTrue();
        set(StartRule.NONE);
        nanos += 10 * SECOND_NANOS;
        set(TEN_A_SECOND);
        assertThat(start()).isOne();
    }
}
