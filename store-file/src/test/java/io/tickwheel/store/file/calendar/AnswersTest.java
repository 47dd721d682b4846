package io.tickwheel.store.file.calendar;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Answer;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoredTimer;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class AnswersTest {

    private static final TimerView VIEW =
            new TimerView(new TimerKey("q", "k"), "tmr_1", 1, 0, 0, TimerState.PENDING, 0);

    private final List<String> given = new ArrayList<>();
    private final Answers answers = new Answers();

    private final class Noted implements Answer<String> {

        @Override
        public void accept(String result) {
            given.add(result);
        }

        @Override
        public void fail(StoreException reason) {
            given.add("failed: " + reason.getMessage());
        }
    }

    @Test
    void answersAreGivenInTheirOrderWhenTheyAreDurable() {
        answers.add(10, new Noted(), "a");
        answers.add(20, () -> given.add("claim"));
        answers.add(20, new Noted(), "b");
        answers.add(21, new Noted(), "c");
        assertThat(answers.give(9, 100)).isZero();
        assertThat(answers.give(10, 100)).isEqualTo(1);
        assertThat(answers.give(20, 100)).isEqualTo(2);
        assertThat(given).containsExactly("a", "claim", "b");
        assertThat(answers.isEmpty()).isFalse();
        assertThat(answers.give(21, 100)).isEqualTo(1);
        assertThat(answers.isEmpty()).isTrue();
    }

    @Test
    void refusalIsGivenInItsOrderWhenWhatItTellsIsDurable() {
        answers.add(10, new Noted(), "a");
        answers.refuse(20, new Noted(), new StoreException("another timer"));
        answers.add(20, new Noted(), "b");
        assertThat(answers.give(19, 100)).isEqualTo(1);
        assertThat(given).containsExactly("a");
        assertThat(answers.give(20, 100)).isEqualTo(2);
        assertThat(given).containsExactly("a", "failed: another timer", "b");
        answers.refuse(30, new Noted(), new StoreException("another timer"));
        answers.failAll(new StoreException("no disk"));
        assertThat(given).last().isEqualTo("failed: no disk");
    }

    @Test
    void noMoreAreGivenThanAskedFor() {
        for (int i = 0; i < 5; i++) {
            answers.add(i, new Noted(), "" + i);
        }
        assertThat(answers.give(100, 0)).isZero();
        assertThat(answers.give(100, 3)).isEqualTo(3);
        assertThat(given).containsExactly("0", "1", "2");
        assertThat(answers.give(100, 3)).isEqualTo(2);
    }

    @Test
    void contentsThatWaitAreBounded() {
        List<StoredTimer> read = new ArrayList<>();
        for (int i = 0; answers.hasRoom(); i++) {
            assertThat(i).isLessThanOrEqualTo((int) (Answers.MOST_CONTENT_BYTES >> 20));
            answers.addContent(i, keeping(read), new StoredTimer(VIEW, new byte[1 << 20]));
        }
        assertThat(answers.give(0, 100)).isEqualTo(1);
        assertThat(read).hasSize(1);
        assertThat(answers.hasRoom()).isTrue();
        answers.addContent(0, keeping(read), new StoredTimer(VIEW, new byte[1 << 20]));
        assertThat(answers.hasRoom()).isFalse();
        answers.failAll(new StoreException("no disk"));
        assertThat(answers.hasRoom()).isTrue();
    }

    private static <T> Answer<List<T>> keeping(List<T> kept) {
        return new Answer<>() {

            @Override
            public void accept(List<T> result) {
                kept.addAll(result);
            }

            @Override
            public void fail(StoreException reason) {}
        };
    }

    @Test
    void failureIsToldToAnswersAndNotToClaims() {
        answers.add(10, new Noted(), "a");
        answers.add(20, () -> given.add("claim"));
        answers.failAll(new StoreException("no disk"));
        assertThat(given).containsExactly("failed: no disk");
        assertThat(answers.isEmpty()).isTrue();
    }
}
