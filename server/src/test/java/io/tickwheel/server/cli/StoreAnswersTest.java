package io.tickwheel.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.QuotaExceededException;
import io.tickwheel.server.config.StartException;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.StoreFullException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which refusals are of one line, and which end an import. */
final class StoreAnswersTest {

    private final List<String> refused = new ArrayList<>();

    private final StoreAnswers answers = new StoreAnswers(new ServerImport.Results() {

        @Override
        public void scheduled() {
            throw new AssertionError("nothing is scheduled");
        }

        @Override
        public void set() {
            throw new AssertionError("nothing is set");
        }

        @Override
        public void kept() {
            throw new AssertionError("nothing is kept");
        }

        @Override
        public void refused(int line, String reason) {
            refused.add(line + " " + reason);
        }

        @Override
        public void waits(Duration time, String reason) {
            throw new AssertionError("nothing is waited for");
        }
    });

    @Test
    void lineThatAQuotaForbidsIsRefusedInWordsAndTheNextOneIsTaken() {
        answers.note(3, null, new CompletionException(new QuotaExceededException("shop", 7, 7)));
        assertThat(refused)
                .singleElement()
                .asString()
                .startsWith("3 ")
                .contains("shop")
                .doesNotContain("Exception");
        assertThatCode(answers::check).doesNotThrowAnyException();
    }

    /** A million lines would be refused one after the other. */
    @ParameterizedTest
    @MethodSource
    void storeThatTakesNoMoreEndsTheImport(StoreException failure) {
        answers.note(3, null, failure);
        assertThat(refused).isEmpty();
        assertThatThrownBy(answers::check)
                .isInstanceOfSatisfying(
                        StartException.class, end -> assertThat(end.exitCode()).isEqualTo(74))
                .hasMessageStartingWith("cannot import: the reason; what was scheduled before stands, ");
    }

    static List<StoreException> storeThatTakesNoMoreEndsTheImport() {
        return List.of(
                new StoreFullException("the reason"),
                new StoreFailedException("the reason", false, new IOException("no disk")));
    }

    @Test
    void answerThatFailsIsToldInWords() {
        assertThat(StoreAnswers.cutOff(new CompletionException(new StoreFullException("the reason"))))
                .isInstanceOf(StartException.class)
                .hasMessageStartingWith("cannot import: the reason; ");
        CompletionException fault = new CompletionException(new IllegalStateException("a fault"));
        assertThat(StoreAnswers.cutOff(fault)).isSameAs(fault);
    }
}
