package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How much of an answer there is room for. */
final class BodyBudgetTest {

    private static final long MIB = 1 << 20;

    private final BodyBudget budget = new BodyBudget(4 * MIB);

    @Test
    void answerHasAsManyPartsAsThereIsRoomFor() {
        assertThat(budget.fitting(0, MIB, MIB, MIB, MIB)).isEqualTo(4);
        assertThat(budget.fitting(0, MIB, MIB, MIB, MIB, 1)).isEqualTo(4);
        budget.force(MIB);
        assertThat(budget.fitting(0, MIB, MIB, MIB, MIB)).as("beside a body").isEqualTo(3);
        assertThat(budget.fitting(MIB, MIB, MIB, MIB, MIB))
                .as("in place of its own")
                .isEqualTo(4);
        assertThat(budget.fitting(0)).isZero();
    }

    /** Requests that wait hold their bodies: there are always some. */
    @Test
    void onePartThatIsLargerThanAllFitsUnlessAnotherAnswerIsUnread() {
        budget.force(100);
        assertThat(budget.fitting(0, 5 * MIB, 1)).isEqualTo(1);
        budget.force(MIB);
        budget.holdAnswer(MIB);
        assertThat(budget.fitting(0, 5 * MIB, 1)).isZero();
        assertThat(budget.fitting(0, 2 * MIB, 2 * MIB)).isEqualTo(1);
        budget.giveBackAnswer(MIB);
        assertThat(budget.fitting(0, 5 * MIB, 1)).isEqualTo(1);
    }

    @Test
    void smallAnswerAlwaysFits() {
        budget.force(9 * MIB);
        budget.holdAnswer(9 * MIB);
        assertThat(budget.fitting(0, 16_000, 383, 1)).isEqualTo(2);
    }
}
