package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Calendar;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.testkit.RoomyListener;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random commands on a disk that is slow now and then, with readers that begin and end in any order: each key has the answers that it would have if every command were decided at
 * its call.
 */
@Tag("simulated")
class ColdLivesTest {

    private static final int SEEDS = 60;
    private static final int COMMANDS = 1_200;
    private static final int KEYS = 150;
    private static final long FAR_MS = 1L << 40;

    private int overtaken;
    private int waits;

    @Test
    void eachKeyHasTheAnswersOfItsOwnOrder() {
        for (long seed = 0; seed < Long.getLong("tickwheel.seeds", SEEDS); seed++) {
            try {
                new Life(seed).run();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
        assertThat(overtaken).as("answers before those of earlier commands").isGreaterThan(1_000);
        assertThat(waits).as("turns in which commands waited for the disk").isGreaterThan(1_000);
    }

    /** What the commands so far have made of a key. */
    private record Model(boolean live, long version) {

        String text() {
            return (live ? TimerState.PENDING : TimerState.CANCELLED) + " v" + version;
        }
    }

    private final class Life {

        private final SplittableRandom random;
        private final SimulatedDisk disk;
        private final ArrayDeque<Runnable> log = new ArrayDeque<>();
        private final ArrayDeque<Runnable> background = new ArrayDeque<>();
        private final List<Runnable> reads = new ArrayList<>();
        private final Map<Integer, Model> models = new HashMap<>();
        private final List<String> expected = new ArrayList<>();
        private final List<@Nullable String> answers = new ArrayList<>();
        private int lastAnswered;
        private long nanos;
        private boolean isSlow;
        private Calendar calendar;

        Life(long seed) {
            random = new SplittableRandom(seed);
            disk = new SimulatedDisk(seed);
            calendar = open();
        }

        private Calendar open() {
            StoreContext context = new StoreContext(
                    log::addLast,
                    background::addLast,
                    reads::add,
                    () -> {},
                    random::nextLong,
                    () -> nanos += isSlow ? 200_000 : 0,
                    late -> {});
            return FileTimerStore.in(disk.path("/data"))
                    .withSegmentBytes(4_096)
                    .withCheckpointBytes(4_096)
                    .open(context, new RoomyListener() {});
        }

        void run() {
            for (int number = 0; number < COMMANDS; number++) {
                if (random.nextInt(100) == 0) {
                    isSlow = !isSlow;
                }
                if (calendar.hasRoom()) {
                    command(random.nextInt(KEYS));
                }
                for (int steps = random.nextInt(4); steps > 0; steps--) {
                    step();
                }
            }
            settle();
            assertThat(answers).isEqualTo(expected);
            assertThat(calendar.liveCount())
                    .isEqualTo(models.values().stream().filter(Model::live).count());
            calendar.close();
            calendar = open();
            for (int key = 0; key < KEYS; key++) {
                find(key);
            }
            settle();
            assertThat(answers).isEqualTo(expected);
            calendar.close();
        }

        private void step() {
            switch (random.nextInt(4)) {
                case 0 -> turn();
                case 1 -> run(log);
                case 2 -> run(background);
                default -> read();
            }
        }

        private void turn() {
            calendar.work(1 + random.nextInt(20));
            waits += reads.isEmpty() ? 0 : 1;
        }

        private static void run(ArrayDeque<Runnable> tasks) {
            Runnable task = tasks.poll();
            if (task != null) {
                task.run();
            }
        }

        private void read() {
            if (!reads.isEmpty()) {
                reads.remove(random.nextInt(reads.size())).run();
            }
        }

        private void settle() {
            int steps = 0;
            do {
                assertThat(steps++).as("steps until it is quiet").isLessThan(100_000);
                step();
            } while (!calendar.isQuiet() || !log.isEmpty() || !background.isEmpty());
        }

        private TimerKey key(int key) {
            return new TimerKey("q" + key % 3, "k" + key);
        }

        private void command(int key) {
            switch (random.nextInt(5)) {
                case 0 -> cancel(key);
                case 1 -> find(key);
                default -> schedule(key, random.nextBoolean() ? OnConflict.REPLACE : OnConflict.KEEP);
            }
        }

        private void schedule(int key, OnConflict onConflict) {
            Model old = models.get(key);
            boolean isKept = old != null && old.live && onConflict == OnConflict.KEEP;
            Model made = isKept ? old : new Model(true, old == null ? 1 : old.version + 1);
            models.put(key, made);
            String outcome = isKept ? "KEPT" : old != null && old.live ? "REPLACED" : "CREATED";
            int number = expect(outcome + " v" + made.version);
            calendar.schedule(
                    new ScheduleCommand(
                            key(key), FAR_MS + random.nextInt(9), new byte[random.nextInt(200)], onConflict, 0),
                    PlainStore.answer(scheduled -> answered(
                            number,
                            scheduled.outcome() + " v" + scheduled.timer().version())));
        }

        private void cancel(int key) {
            Model old = models.get(key);
            models.computeIfPresent(key, (same, found) -> new Model(false, found.version));
            int number = expect((old == null ? Cancelled.Outcome.NOT_FOUND : Cancelled.Outcome.CANCELLED).toString());
            calendar.cancel(
                    key(key),
                    PlainStore.answer(
                            cancelled -> answered(number, cancelled.outcome().toString())));
        }

        private void find(int key) {
            Model model = models.get(key);
            int number = expect(model == null ? "" : model.text());
            calendar.find(
                    key(key),
                    PlainStore.answer(found -> answered(
                            number,
                            found.isEmpty()
                                    ? ""
                                    : found.get(0).state() + " v" + found.get(0).version())));
        }

        private int expect(String answer) {
            expected.add(answer);
            answers.add(null);
            return expected.size() - 1;
        }

        private void answered(int number, String answer) {
            assertThat(answers.set(number, answer)).as("answered once").isNull();
            overtaken += number < lastAnswered ? 1 : 0;
            lastAnswered = Math.max(lastAnswered, number);
        }
    }
}
