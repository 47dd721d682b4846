package io.tickwheel.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class ChangedDocumentsTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Timeline time = new Timeline();
    private final ChangedDocuments documents =
            new ChangedDocuments(time.timers(), Duration.ofSeconds(2), Duration.ofSeconds(10), time::note);

    @Test
    void documentIsRefreshedOnceAfterAPause() {
        for (int change = 0; change < 5; change++) {
            time.answer(documents.changed("d"));
            assertThat(time.after(SECOND)).isEmpty();
        }
        assertThat(time.after(SECOND)).containsExactly("d");
        assertThat(time.after(Duration.ofDays(1))).isEmpty();
    }

    @Test
    void documentThatChangesAllTheTimeIsRefreshedAfterTheLongestWait() {
        for (int change = 0; change < 9; change++) {
            time.answer(documents.changed("d"));
            assertThat(time.after(SECOND)).isEmpty();
        }
        time.answer(documents.changed("d"));
        assertThat(time.after(SECOND)).containsExactly("d");
    }
}
