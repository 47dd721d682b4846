package io.tickwheel.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.StoredTimer;
import io.tickwheel.store.TimerState;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a timer is to deliver can be read for as long as somebody may want it delivered. */
public abstract class CalendarContentContract extends CalendarLoadingContract {

    private List<StoredTimer> read(String key) {
        Reply<List<StoredTimer>> reply = new Reply<>();
        calendar.read(key(key), reply);
        settle();
        return reply.get();
    }

    private void assertContent(String content) {
        assertThat(read("a")).singleElement().satisfies(stored -> {
            assertThat(stored.content()).asString(StandardCharsets.UTF_8).isEqualTo(content);
            assertThat(find("a")).containsExactly(stored.view());
        });
    }

    @Test
    void nothingIsReadUnderAKeyThatHasNoTimer() {
        schedule(timer("b", 1));
        assertThat(read("a")).isEmpty();
    }

    @Test
    void contentIsReadWhileTheTimerIsLive() {
        schedule(timer("a", 1));
        assertContent("a@1");
        restart();
        assertContent("a@1");
        loadAll();
        ClaimedTimer claimed = claim("a");
        assertContent("a@1");
        calendar.retry(claimed.handle(), 5);
        settle();
        assertContent("a@1");
        schedule(timer("a", 9));
        assertContent("a@9");
    }

    @Test
    void contentOfADeadTimerIsKept() {
        loadAll();
        schedule(timer("a", 1));
        calendar.finish(claim("a").handle(), TimerState.DEAD);
        settle();
        assertContent("a@1");
        restart();
        assertContent("a@1");
    }

    @ParameterizedTest
    @EnumSource(
            value = TimerState.class,
            names = {"COMPLETED", "EXPIRED"})
    void contentOfAFinishedTimerIsNot(TimerState state) {
        loadAll();
        schedule(timer("a", 1));
        calendar.finish(claim("a").handle(), state);
        settle();
        assertContent("");
    }

    @Test
    void contentOfACancelledTimerIsNot() {
        loadAll();
        schedule(timer("a", 1));
        ClaimedTimer claimed = claim("a");
        cancel("a");
        assertContent("");
        calendar.retry(claimed.handle(), 5);
        settle();
        assertContent("");
        schedule(timer("a", 9));
        cancel("a");
        assertContent("");
    }
}
