package io.tickwheel.engine.bulk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Bulk;
import io.tickwheel.engine.BulkProgress;
import io.tickwheel.engine.BulkRequest;
import io.tickwheel.engine.Clock;
import io.tickwheel.store.TimerQuery;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** What the end of an engine finds of the runs that were asked for. */
class KnownRunsTest {

    private static final Clock CLOCK = new Clock() {

        @Override
        public Instant now() {
            return Instant.EPOCH;
        }

        @Override
        public long monoNanos() {
            return 0;
        }
    };

    private final KnownRuns known = new KnownRuns();

    private static BulkRun run(String id) {
        return new BulkRun(id, BulkRequest.cancel(TimerQuery.of("q")), CLOCK, timer -> true, Long.MAX_VALUE);
    }

    @Test
    void endFindsWhatHasNotEndedAndLetsNothingIn() {
        BulkRun ended = run("ended");
        BulkRun asked = run("asked");
        BulkRun count = run("count");
        known.add(ended);
        known.add(asked);
        known.addCount(count);
        ended.end(BulkProgress.State.DONE, null);
        assertThat(known.close()).containsExactly(count, asked);
        assertThatThrownBy(() -> known.add(run("late"))).hasMessage("the engine is closed");
        assertThatThrownBy(() -> known.addCount(run("late"))).hasMessage("the engine is closed");
        assertThat(known.all()).containsExactly(asked, ended);
    }

    @Test
    void runThatComesTakesThePlaceOfTheOneOfItsId() {
        BulkRun before = run("a");
        BulkRun other = run("b");
        BulkRun come = run("a");
        known.add(before);
        known.add(other);
        known.replace(come);
        assertThat(known.all()).containsExactly(come, other);
        assertThat(known.find("a")).isSameAs(come);
        assertThat(known.find("c")).isNull();
    }

    @Test
    void onlyEndedRunsAreForgotten() {
        BulkRun goesOn = run("goes on");
        known.add(goesOn);
        for (int i = 0; i < Bulk.MOST_REMEMBERED + 5; i++) {
            BulkRun run = run("r" + i);
            known.add(run);
            run.end(BulkProgress.State.DONE, null);
        }
        known.add(run("last"));
        assertThat(known.all()).hasSize(Bulk.MOST_REMEMBERED + 2).contains(goesOn);
    }
}
