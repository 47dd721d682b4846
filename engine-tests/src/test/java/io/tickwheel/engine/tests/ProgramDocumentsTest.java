package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.InvalidNameException;
import io.tickwheel.engine.ProgramDocument;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.IdMismatchException;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.TimerStore;
import io.tickwheel.store.file.FileTimerStore;
import io.tickwheel.store.testkit.CrashKind;
import io.tickwheel.store.testkit.SimulatedDisk;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.time.Duration;
import java.time.Instant;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Documents of a program are beside its timers, and none of them. */
class ProgramDocumentsTest {

    private ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));

    private Tickwheel open(TimerStore store) {
        Tickwheel engine = Tickwheel.builder(store)
                .clock(clock)
                .threads(threads)
                .random(new SplittableRandom(2)::nextLong)
                .open();
        threads.runUntilIdle();
        return engine;
    }

    private <T> T settled(CompletableFuture<T> answer) {
        threads.runUntilIdle();
        assertThat(answer).isDone();
        return answer.join();
    }

    @Test
    void documentThatCannotBeReadEndsNoEngine() {
        WatchedStore store = new WatchedStore(new MemoryTimerStore());
        Tickwheel engine = open(store);
        ProgramDocument written = settled(engine.writeDocument("tokens", "eins", null));
        store.makeUnreadable();
        assertThatThrownBy(() -> settled(engine.document("tokens")))
                .hasCauseInstanceOf(StoreException.class)
                .hasMessageContaining("document tokens cannot be read: timer content has version 99, must be ");
        assertThat(engine.isRunning()).isTrue();
        store.before("", (calendar, arguments) -> false);
        assertThat(settled(engine.document("tokens"))).contains(written);
    }

    @Test
    void ofTwoWhoHaveSeenTheSameOneWrites() {
        Tickwheel engine = open(new MemoryTimerStore());
        assertThat(settled(engine.document("tokens"))).isEmpty();
        assertThat(settled(engine.documentId("tokens"))).isEmpty();

        ProgramDocument first = settled(engine.writeDocument("tokens", "eins ä", null));
        assertThatThrownBy(() -> settled(engine.writeDocument("tokens", "too late", null)))
                .hasCauseInstanceOf(IdMismatchException.class);
        ProgramDocument second = settled(engine.writeDocument("tokens", "zwei", first.id()));
        assertThatThrownBy(() -> settled(engine.writeDocument("tokens", "too late", first.id())))
                .hasCauseInstanceOf(IdMismatchException.class);

        assertThat(second.id()).isNotEqualTo(first.id());
        assertThat(settled(engine.document("tokens"))).contains(second);
        assertThat(settled(engine.documentId("tokens"))).contains(second.id());
        assertThat(settled(engine.document("other"))).isEmpty();
    }

    @Test
    void aDocumentIsNoTimerOfAnybody() {
        Tickwheel engine = open(new MemoryTimerStore());
        settled(engine.writeDocument("tokens", "text", null));
        settled(engine.schedule("q", "k", Duration.ofDays(1)));
        assertThat(settled(engine.document("other"))).isEmpty();
        threads.runUntilIdle();
        assertThat(engine.liveCount()).isEqualTo(1);
        assertThat(settled(engine.queues())).extracting("queue").containsExactly("q");
        threads.advance(Duration.ofHours(1));
        threads.runUntilIdle();
        assertThat(settled(engine.document("tokens"))).isPresent();
        assertThatThrownBy(() -> engine.find("~documents", "tokens")).isInstanceOf(InvalidNameException.class);
        assertThatThrownBy(() -> engine.document("~queues")).isInstanceOf(InvalidNameException.class);
    }

    @Test
    void whatWasAnsweredIsThereAfterACrash() {
        SimulatedDisk disk = new SimulatedDisk(7);
        Tickwheel before = open(FileTimerStore.in(disk.path("/data")).withSegmentBytes(1 << 16));
        ProgramDocument written = settled(before.writeDocument("tokens", "kept", null));

        disk.crash(CrashKind.POWER_LOSS);
        threads = new ManualThreads(clock, new SplittableRandom(3));
        Tickwheel engine = open(FileTimerStore.in(disk.path("/data")).withSegmentBytes(1 << 16));
        assertThat(settled(engine.document("tokens"))).contains(written);
    }
}
