package io.tickwheel.engine.due;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What attempts that end say of their destination, and what those say that hang. */
final class HealthTest {

    private final Health health = Health.unknown();

    private void assertIs(boolean quick, boolean doubtful, boolean doubtfulWhenItHangs) {
        assertThat(health.isQuick()).as("quick").isEqualTo(quick);
        assertThat(health.isDoubtful(false)).as("doubtful").isEqualTo(doubtful);
        assertThat(health.isDoubtful(true)).as("doubtful when it hangs").isEqualTo(doubtfulWhenItHangs);
    }

    @Test
    void whatIsNotKnownIsDoubtfulOnceItHangs() {
        assertIs(false, false, true);
        assertThat(health.breaker().hasFailures()).isFalse();
    }

    @Test
    void whatHasAnsweredIsNotDoubtfulHoweverItHangs() {
        health.noteEnd(true, true, 0);
        assertIs(true, false, false);
        health.noteHanging();
        assertIs(false, false, false);
        health.noteEnd(true, true, 0);
        health.noteEnd(true, false, 0);
        assertIs(false, false, false);
    }

    @Test
    void whatReachesNobodyIsDoubtfulUntilSomebodyIsReached() {
        health.noteEnd(true, true, 0);
        health.noteEnd(false, true, 0);
        assertIs(false, true, true);
        assertThat(health.breaker().hasFailures()).isTrue();
        health.noteEnd(true, false, 0);
        assertIs(false, false, false);
        assertThat(health.breaker().hasFailures()).isFalse();
    }

    @Test
    void codeOfThisProgramIsKnownBeforeItHasAnswered() {
        Health ofHandler = Health.ofHandler();
        for (int i = 0; i < 100; i++) {
            ofHandler.breaker().noteStart(0);
            health.breaker().noteStart(0);
        }
        assertThat(ofHandler.breaker().nanosToStart(0)).isZero();
        assertThat(health.breaker().nanosToStart(0)).isPositive();
    }
}
