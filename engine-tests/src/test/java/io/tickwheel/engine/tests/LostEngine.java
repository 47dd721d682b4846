package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.testkit.CrashKind;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.time.Instant;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/** An engine that is closed and opened again, or lost with its process, on any store that goes on. */
interface LostEngine {

    Tickwheel engine();

    ManualThreads threads();

    ManualClock clock();

    void restart();

    void crash();

    static LostEngine onFiles(long seed) {
        SimulatedEngine sim = new SimulatedEngine(seed);
        return new LostEngine() {

            @Override
            public Tickwheel engine() {
                return sim.engine();
            }

            @Override
            public ManualThreads threads() {
                return sim.threads();
            }

            @Override
            public ManualClock clock() {
                return sim.clock;
            }

            @Override
            public void restart() {
                sim.restart();
            }

            @Override
            public void crash() {
                sim.crashAfterALook(sim.random.nextBoolean() ? CrashKind.POWER_LOSS : CrashKind.PROCESS_KILL);
            }
        };
    }

    static LostEngine inMemory(long seed) {
        return new InMemory(seed);
    }

    /** On a store without a disk. */
    final class InMemory implements LostEngine {

        private final MemoryTimerStore store = new MemoryTimerStore();
        private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
        private final SplittableRandom random;
        private ManualThreads threads;
        private Tickwheel engine;

        private InMemory(long seed) {
            random = new SplittableRandom(seed);
            open();
        }

        private void open() {
            threads = new ManualThreads(clock, random.split());
            engine = Tickwheel.builder(store)
                    .clock(clock)
                    .threads(threads)
                    .random(random.split()::nextLong)
                    .retry(SimulatedEngine.RETRY)
                    .open();
        }

        @Override
        public Tickwheel engine() {
            return engine;
        }

        @Override
        public ManualThreads threads() {
            return threads;
        }

        @Override
        public ManualClock clock() {
            return clock;
        }

        @Override
        public void restart() {
            CompletableFuture<Void> closed = engine.closeAsync();
            threads.runUntilIdle();
            assertThat(closed).isCompleted();
            open();
        }

        @Override
        public void crash() {
            store.crash();
            open();
        }
    }
}
