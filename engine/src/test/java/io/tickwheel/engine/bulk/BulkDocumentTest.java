package io.tickwheel.engine.bulk;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tickwheel.engine.BulkProgress;
import io.tickwheel.engine.BulkRequest;
import io.tickwheel.store.TimerCursor;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class BulkDocumentTest {

    private static final BulkRequest REQUEST = new BulkRequest(
            BulkRequest.Action.REDRIVE,
            new TimerQuery("q ü", TimerState.DEAD, "order-", 5, 7_000, TimerQuery.DEFAULT_LIMIT, null),
            "HTTP 503",
            321,
            true);

    private static final BulkProgress RUNNING = new BulkProgress(
            BulkProgress.State.RUNNING,
            12,
            7,
            4,
            Map.of("HTTP 503", 9L, "no route\n", 3L),
            Instant.ofEpochMilli(1_764_000_000_123L),
            null,
            null);

    private static final BulkProgress FAILED = new BulkProgress(
            BulkProgress.State.FAILED,
            0,
            0,
            0,
            Map.of(),
            Instant.ofEpochMilli(1_764_000_000_123L),
            Instant.ofEpochMilli(1_764_000_000_124L),
            "the disk\nis full");

    private static final String LEAST = """
            request CANCEL 500 false
            timers - 0 9 cQ==  \

            progress RUNNING 0 0 0 1764000000000
            """;

    private static BulkDocument readAgain(BulkDocument document) {
        return BulkDocument.read(document.id(), document.write());
    }

    @Test
    void everythingIsReadAsItWasWritten() {
        TimerCursor after = new TimerCursor(1_764_000_000_000L, 42);
        BulkDocument running = new BulkDocument("id", REQUEST, RUNNING, after, false);
        BulkDocument failed = new BulkDocument("id", REQUEST, FAILED, null, false);

        assertThat(readAgain(running)).isEqualTo(running);
        assertThat(readAgain(running.withStopWanted())).isEqualTo(running.withStopWanted());
        assertThat(readAgain(running.withStopWanted()).stopWanted()).isTrue();
        assertThat(readAgain(failed)).isEqualTo(failed);
    }

    @Test
    void lineOfALaterVersionIsPassedOver() {
        assertThat(BulkDocument.read("id", (LEAST + "colour blue\n").getBytes(UTF_8)))
                .isEqualTo(BulkDocument.read("id", LEAST.getBytes(UTF_8)));
    }

    @Test
    void lineThatCannotBeReadIsNamed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BulkDocument.read("id", (LEAST + "cause many cQ==\n").getBytes(UTF_8)))
                .withMessageContaining("\"cause many cQ==\"");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        BulkDocument.read("id", LEAST.replace(" 500 false", "").getBytes(UTF_8)))
                .withMessageContaining("there are 1 values, must be at least 3");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BulkDocument.read("id", "stop true\n".getBytes(UTF_8)))
                .withMessageContaining("request, timers and progress");
    }
}
