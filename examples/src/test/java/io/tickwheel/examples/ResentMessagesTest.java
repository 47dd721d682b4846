package io.tickwheel.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class ResentMessagesTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Timeline time = new Timeline();
    private final ResentMessages messages = new ResentMessages(
            time.timers(),
            Duration.ofSeconds(5),
            3,
            (id, text) -> time.note("sent " + id + " " + text),
            id -> time.note("gave up " + id));

    @Test
    void messageIsSentAgainUntilItIsAcknowledged() {
        time.answer(messages.send("m", "hello"));
        assertThat(time.after(Duration.ofSeconds(4))).containsExactly("sent m hello");
        assertThat(time.after(SECOND)).containsExactly("sent m hello");
        time.answer(messages.acknowledged("m"));
        assertThat(time.after(Duration.ofDays(1))).isEmpty();
    }

    @Test
    void messageThatNobodyAcknowledgesIsGivenUpAfterThreeSendings() {
        time.answer(messages.send("m", "hello"));
        assertThat(time.after(Duration.ofSeconds(14))).containsExactly("sent m hello", "sent m hello", "sent m hello");
        assertThat(time.after(SECOND)).containsExactly("gave up m");
        assertThat(time.after(Duration.ofDays(1))).isEmpty();
    }
}
