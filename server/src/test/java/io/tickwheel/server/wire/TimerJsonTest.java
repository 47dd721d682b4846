package io.tickwheel.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Durability;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TimerJsonTest {

    private static final String FIRST =
            "{\"number\":1,\"startedAt\":\"1970-01-01T00:00:01.000Z\",\"lateMs\":2,\"durationMs\":3,"
                    + "\"status\":503,\"reason\":\"HTTP 503\",\"excerpt\":\"no\\u0000\\n\\u001b[31m\\u007f\\u009b\\\"\\\\ é\"}";
    private static final String SECOND =
            "{\"number\":2,\"startedAt\":\"1970-01-01T00:00:02.000Z\",\"lateMs\":0,\"durationMs\":1,"
                    + "\"status\":410,\"reason\":\"HTTP 410\"}";

    private final TimerView dead = new TimerView(
            new TimerKey("q", "k"),
            "7",
            1,
            0,
            0,
            TimerState.DEAD,
            2,
            List.of(
                    new PastAttempt(1, 1_000, 2, 3, 503, "HTTP 503", "no\0\n\u001b[31m\u007f\u009b\"\\ é"),
                    new PastAttempt(2, 2_000, 0, 1, 410, "HTTP 410")));

    @Test
    void excerptIsShownWithItsAttemptAndItsControlCharactersAreEscaped() {
        JsonOut shown = TimerJson.found(new ShownTimer(dead, Durability.MEMORY));
        assertThat(shown.toBuffer().toString()).endsWith("\"history\":[" + FIRST + "," + SECOND + "]}");
    }

    @Test
    void listOfDeadTimersShowsItToo() {
        JsonOut page = TimerJson.page(new TimerPage(List.of(dead), null), Durability.MEMORY);
        assertThat(page.toBuffer().toString()).contains("\"history\":[" + FIRST + "," + SECOND + "]");
    }

    @Test
    void deadTimerTellsWhyItsLastAttemptFailedAndWhenThatEnded() {
        assertThat(TimerJson.found(new ShownTimer(dead, Durability.MEMORY))
                        .toBuffer()
                        .toString())
                .contains("\"attempts\":2,\"reason\":\"HTTP 410\",\"diedAt\":\"1970-01-01T00:00:02.001Z\",");
    }

    @Test
    void attemptIsShownWhenItIsBeforeTheDueTimeToo() {
        TimerView early = new TimerView(new TimerKey("q", "k"), "7", 1, 10, 5, TimerState.PENDING, 0, List.of());
        assertThat(TimerJson.found(new ShownTimer(early, Durability.MEMORY))
                        .toBuffer()
                        .toString())
                .contains("\"dueAt\":\"1970-01-01T00:00:00.010Z\",\"attemptAt\":\"1970-01-01T00:00:00.005Z\",");
        TimerView same = new TimerView(new TimerKey("q", "k"), "7", 1, 10, 10, TimerState.PENDING, 0, List.of());
        assertThat(TimerJson.found(new ShownTimer(same, Durability.MEMORY))
                        .toBuffer()
                        .toString())
                .doesNotContain("attemptAt");
    }

    @Test
    void attemptThatSucceededShowsItsStatusAndNoReason() {
        TimerView again = new TimerView(
                new TimerKey("q", "k"),
                "7",
                1,
                0,
                0,
                TimerState.COMPLETED,
                1,
                List.of(new PastAttempt(1, 1_000, 2, 3, 204, "")));
        assertThat(TimerJson.found(new ShownTimer(again, Durability.MEMORY))
                        .toBuffer()
                        .toString())
                .endsWith("\"history\":[{\"number\":1,\"startedAt\":\"1970-01-01T00:00:01.000Z\",\"lateMs\":2,"
                        + "\"durationMs\":3,\"status\":204}]}");
    }
}
