package io.tickwheel.benchmarks;

import io.tickwheel.benchmarks.wheel.SplitMix;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.file.FileTimerStore;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;

/** One life of the engine in {@link RestartProgram}: fills a store and ends, or opens one that another has left. */
final class RestartChild {

    private static final String QUEUE = TickwheelPlanSink.QUEUE;
    private static final double MIB = 1 << 20;
    private static final int PRODUCERS = 2;
    private static final int WINDOW = 4_096;
    private static final long OVERDUE_MS = 1_000;
    private static final long STALL_MS = 300_000;

    private final FileTimerStore store;
    private final int count;
    private final int overdue;
    private final TimerPlan plan;

    private RestartChild(Options options) {
        store = FileTimerStore.in(Path.of(options.text("directory", "")));
        count = options.number("timers", 0);
        overdue = options.number("overdue", 0);
        Delays far = Delays.uniform(Duration.ofDays(1), Duration.ofDays(60));
        int every = count / overdue;
        plan = new TimerPlan("order-", number -> {
            boolean soon = number % every == 0 && number / every < overdue;
            return System.currentTimeMillis() + (soon ? OVERDUE_MS : far.atMs(SplitMix.at(number)));
        });
    }

    public static void main(String[] arguments) throws Exception {
        Options options = new Options(Arrays.asList(arguments).subList(1, arguments.length));
        RestartChild child = new RestartChild(options);
        switch (arguments[0]) {
            case "fill" -> child.fill(options.text("end", ""));
            case "open" -> child.open();
            default -> throw new IllegalArgumentException("no part " + arguments[0]);
        }
    }

    /** Nobody handles the queue, so that what comes due stays. */
    private void fill(String end) throws Exception {
        Tickwheel engine = Tickwheel.open(store);
        new Producers(PRODUCERS).fill(new TickwheelPlanSink(engine, WINDOW), "fill", plan, 0, count);
        Thread.sleep(2 * OVERDUE_MS);
        if (end.equals("closed")) {
            engine.close();
        }
        Runtime.getRuntime().halt(0);
    }

    private void open() throws Exception {
        HandledTimers handled = new HandledTimers(Clock.system(), count);
        long start = System.nanoTime();
        Tickwheel engine = Tickwheel.open(store);
        long opened = System.nanoTime();
        CompletableFuture<Cancelled> cancelled = engine.cancel(QUEUE, plan.key(1));
        CompletableFuture<Long> answered = cancelled.thenApply(answer -> System.nanoTime());
        engine.handle(QUEUE, handled);
        handled.await(overdue, STALL_MS);
        ChildFigures.print("first delivery, ms", millis(start, handled.firstNanos()));
        ChildFigures.print("all overdue delivered, ms", millis(start, handled.lastNanos()));
        ChildFigures.print("first cancel answered, ms", millis(start, answered.join()));
        ChildFigures.print("opened, ms", millis(start, opened));
        if (cancelled.join().outcome() != Cancelled.Outcome.CANCELLED) {
            throw new IllegalStateException("the known timer is not cancelled: " + cancelled.join());
        }
        while (engine.liveCount() > count - overdue - 1) {
            Thread.sleep(1);
        }
        if (engine.liveCount() != count - overdue - 1 || handled.early() + handled.again() > 0) {
            throw new IllegalStateException(engine.liveCount() + " timers are live, " + handled.early()
                    + " came early, " + handled.again() + " more than once");
        }
        System.gc();
        ChildFigures.print(
                "heap after collection, MiB",
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / MIB);
        Runtime.getRuntime().halt(0);
    }

    private static double millis(long from, long to) {
        return (to - from) / 1e6;
    }
}
