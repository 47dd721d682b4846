package io.tickwheel.store.redis.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class InboxTest {

    private static final long HOUR_NANOS = 3_600_000_000_000L;

    private final List<String> log = new ArrayList<>();
    private final Inbox inbox = new Inbox(() -> log.add("woken"));

    @Test
    void allIsHandedOverInItsOrder() {
        assertThat(inbox.drain()).isFalse();
        for (String each : List.of("a", "b", "c")) {
            inbox.put(() -> log.add(each));
        }
        assertThat(log).as("the first one wakes").containsExactly("woken");
        assertThat(inbox.isEmpty()).isFalse();
        assertThat(inbox.drain()).isTrue();
        assertThat(log).containsExactly("woken", "a", "b", "c");
        assertThat(inbox.isEmpty()).isTrue();
        assertThat(inbox.drain()).isFalse();
    }

    @Test
    void whatComesWhileOthersAreHandedOverWaitsForTheNextTime() {
        inbox.put(() -> inbox.put(() -> log.add("late")));
        assertThat(inbox.drain()).isTrue();
        assertThat(log).containsExactly("woken", "woken");
        assertThat(inbox.drain()).isTrue();
        assertThat(log).endsWith("late");
    }

    /** Whoever has put it has seen nobody who waits. */
    @Test
    @Timeout(20)
    void nobodyWaitsForMoreWhileSomethingIsThere() {
        inbox.put(() -> log.add("a"));
        inbox.await(HOUR_NANOS);
        assertThat(inbox.drain()).isTrue();
        assertThat(log).containsExactly("woken", "a");
    }

    @Test
    @Timeout(20)
    void loopThatWaitsIsWokenByWhatComes() throws InterruptedException {
        Thread loop = new Thread(() -> {
            while (inbox.isEmpty()) {
                inbox.await(HOUR_NANOS);
            }
            inbox.drain();
        });
        loop.setDaemon(true);
        loop.start();
        while (loop.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        inbox.put(() -> log.add("a"));
        loop.join();
        assertThat(log).contains("a");
    }
}
