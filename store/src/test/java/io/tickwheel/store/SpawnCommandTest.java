package io.tickwheel.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What no run of a plan can be is refused with the value and the rule. */
final class SpawnCommandTest {

    private static final PendingTimer PLAN = new Plan();
    private static final byte[] CONTENT = {1};

    private static final class Plan implements PendingTimer {

        @Override
        public Lane lane() {
            return new Lane("q", Lane.QUEUE_ROUTE);
        }

        @Override
        public TimerKey key() {
            return new TimerKey("q", "plan");
        }

        @Override
        public long attemptAtMs() {
            return 1;
        }

        @Override
        public int contentBytes() {
            return 0;
        }

        @Override
        public @Nullable Object attachment() {
            return null;
        }

        @Override
        public void attach(@Nullable Object attachment) {}
    }

    private static ScheduleCommand run(String queue, String key, OnConflict rule) {
        return new ScheduleCommand(new TimerKey(queue, key), 5, CONTENT, rule, 0);
    }

    private static SpawnCommand spawning(@Nullable ScheduleCommand run) {
        return new SpawnCommand(PLAN, 7, CONTENT, run);
    }

    @ParameterizedTest
    @ValueSource(strings = {"plan\u001f", "plan\u001f1", "plan\u001f1\u001f2", "plan\u001f\u20ac"})
    void runOfThePlanIsTaken(String key) {
        ScheduleCommand run = run("q", key, OnConflict.KEEP);
        assertThat(spawning(run).spawned()).isSameAs(run);
        assertThat(spawning(null).spawned()).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "r | plan\u001f1 | KEEP | a run is of the queue r, must be of q as its plan",
                "q | plan | KEEP | a run has the key plan, must begin with plan and U+001F, which is the key of its plan",
                "q | plan1 | KEEP | a run has the key plan1, must begin with plan and U+001F, which is the key of its plan",
                "q | plam\u001f1 | KEEP | a run has the key plam\u001f1, must begin with plan and U+001F, which is the key of its plan",
                "q | plan\u001f1 | REPLACE | a run has the rule for conflicts REPLACE, must have KEEP",
                "q | plan\u001f1 | ONCE | a run has the rule for conflicts ONCE, must have KEEP"
            })
    void whatIsNoRunOfThePlanIsRefused(String queue, String key, OnConflict rule, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> spawning(run(queue, key, rule)))
                .withMessage(message);
    }

    @Test
    void runExpectsNoIdAndAsksForNoDurability() {
        ScheduleCommand run = run("q", "plan\u001f1", OnConflict.KEEP);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> spawning(run.withExpectedId("abc")))
                .withMessage("a run expects the id abc, must expect none");
        ScheduleCommand durable =
                new ScheduleCommand(run.key(), 5, CONTENT, Lane.QUEUE_ROUTE, OnConflict.KEEP, 0, Durability.SYNC);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> spawning(durable))
                .withMessage("a run asks for " + Durability.SYNC + ", must ask for no durability");
    }

    @Test
    void planHasTheRangesOfASchedule() {
        long farthest = ScheduleCommand.FARTHEST_DUE_MS;
        assertThat(new SpawnCommand(PLAN, farthest, new byte[0], null).dueAtMs())
                .isEqualTo(farthest);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SpawnCommand(PLAN, farthest + 1, CONTENT, null))
                .withMessageStartingWith("due time is " + (farthest + 1) + " ms, must be");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SpawnCommand(PLAN, 0, new byte[ScheduleCommand.MAX_CONTENT_BYTES + 1], null))
                .withMessageStartingWith("content has 33554433 bytes, must have at most");
    }
}
