package io.tickwheel.benchmarks;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.file.FileTimerStore;
import java.nio.file.Path;
import java.util.Arrays;
import org.HdrHistogram.Histogram;

/** The small JVM of {@link StormProgram}. */
final class StormChild {

    private static final String QUEUE = TickwheelPlanSink.QUEUE;
    private static final long SLICE_MS = 1_800_000;

    /** Scheduling must end before the slice begins. */
    private static final long SLICES_AHEAD = 8;

    private static final long LEAD_MS = 3_000;
    private static final int PRODUCERS = 2;
    private static final int WINDOW = 2_048;
    private static final int MOST_FRESH = 10_000_000;
    private static final long SAMPLE_MS = 1_000;
    private static final long STALL_MS = 120_000;
    private static final double MIB = 1 << 20;

    private final OffsetClock clock = new OffsetClock();
    private final CollectedHeap heap = CollectedHeap.watch();
    private final Path directory;
    private final int timers;
    private final int atOnce;
    private final int spreadMs;
    private final int freshPerSecond;

    private StormChild(Options options) {
        directory = Path.of(options.text("directory", ""));
        timers = options.number("timers", 0);
        atOnce = options.number("at-once", 0);
        spreadMs = Math.multiplyExact(options.number("spread-seconds", 0), 1_000);
        freshPerSecond = options.number("fresh-a-second", 0);
    }

    public static void main(String[] arguments) throws Exception {
        new StormChild(new Options(Arrays.asList(arguments))).run();
        System.exit(0);
    }

    private void run() throws Exception {
        int count = Math.addExact(timers, atOnce);
        long sliceMs = (clock.wallMs() / SLICE_MS + SLICES_AHEAD) * SLICE_MS;
        HandledTimers storm = new HandledTimers(clock, count);
        HandledTimers fresh = new HandledTimers(clock, MOST_FRESH);
        try (Tickwheel engine =
                Tickwheel.builder(FileTimerStore.in(directory)).clock(clock).open()) {
            engine.handle(QUEUE, storm);
            engine.handle(FreshTimers.QUEUE, fresh);
            Progress filled = new Producers(PRODUCERS)
                    .fill(new TickwheelPlanSink(engine, WINDOW), "storm", plan(sliceMs, count), 0, count);
            ChildFigures.print("scheduled, rate of the last quarter / the first", filled.slope());
            ChildFigures.print("scheduled, most heap after a collection, MiB", heap.takeMostBytes() / MIB);
            clock.forwardTo(sliceMs - LEAD_MS);
            int freshCount = fire(engine, storm, fresh, count);
            ChildFigures.print("lost", (double) engine.liveCount());
            ChildFigures.print("fresh timers", freshCount);
        }
        late("storm", storm);
        late("fresh", fresh);
    }

    /** The first timers come spread over a while, and in the middle of it the others all at once. */
    private TimerPlan plan(long sliceMs, int count) {
        return new TimerPlan("order-", number -> {
            boolean oneOfThem = number * atOnce / count != (number + 1) * atOnce / count;
            return sliceMs + (oneOfThem ? spreadMs / 2 : number * spreadMs / count);
        });
    }

    private int fire(Tickwheel engine, HandledTimers storm, HandledTimers fresh, int count) throws Exception {
        FreshTimers others = new FreshTimers(engine, freshPerSecond);
        others.start();
        long lastNanos = System.nanoTime();
        long last = 0;
        double mostMib = 0;
        while (storm.distinct() < count) {
            Thread.sleep(SAMPLE_MS);
            double mib = heap.takeMostBytes() / MIB;
            mostMib = Math.max(mostMib, mib);
            System.out.printf(
                    "    fired %,d, fresh %,d, heap after collections %,.0f MiB (%,d so far)%n",
                    storm.distinct(), fresh.distinct(), mib, heap.collections());
            if (storm.distinct() != last || last == 0) {
                last = storm.distinct();
                lastNanos = System.nanoTime();
            } else if (System.nanoTime() - lastNanos > STALL_MS * 1_000_000) {
                throw new IllegalStateException(count - last + " timers do not come");
            }
        }
        ChildFigures.print("fired/s", count * 1e9 / (storm.lastNanos() - storm.firstNanos()));
        ChildFigures.print("firing, most heap after a collection, MiB", mostMib);
        ChildFigures.print("when fired, live heap, MiB", CollectedHeap.liveBytes() / MIB);
        int freshCount = others.stop();
        fresh.await(freshCount, STALL_MS);
        awaitAcknowledged(engine);
        return freshCount;
    }

    private static void awaitAcknowledged(Tickwheel engine) throws InterruptedException {
        long deadline = System.nanoTime() + STALL_MS * 1_000_000;
        while (engine.liveCount() > 0 && System.nanoTime() < deadline) {
            Thread.sleep(1);
        }
    }

    private static void late(String name, HandledTimers handled) {
        ChildFigures.print(name + ", early", (double) handled.early());
        ChildFigures.print(name + ", more than once", (double) handled.again());
        Histogram micros = handled.lateMicros();
        ChildFigures.print(name + ", lateness, p50 ms", micros.getValueAtPercentile(50) / 1e3);
        ChildFigures.print(name + ", lateness, p99 ms", micros.getValueAtPercentile(99) / 1e3);
        ChildFigures.print(name + ", lateness, longest ms", micros.getMaxValue() / 1e3);
    }
}
