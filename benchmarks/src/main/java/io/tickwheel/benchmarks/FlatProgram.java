package io.tickwheel.benchmarks;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.file.FileTimerStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

/** What a schedule costs as the number of pending timers grows. */
record FlatProgram(List<Integer> pending, int measured, int chunk, Producers producers, int window, int rounds)
        implements LoadProgram {

    private static final String QUEUE = TickwheelPlanSink.QUEUE;
    private static final Delays FAR = Delays.uniform(Duration.ofDays(1), Duration.ofDays(60));
    private static final int WARM_UP = 500_000;

    static FlatProgram of(Options options) {
        return new FlatProgram(
                options.numbers("pending", "100000,1000000,10000000,50000000"),
                options.number("measured", 1_000_000),
                options.number("chunk", 50_000),
                new Producers(options.number("producers", 2)),
                options.number("window", 8_192),
                options.number("rounds", 1));
    }

    @Override
    public void run(DataDirectory data) throws Exception {
        System.out.printf(
                "Timers due in 1 to 60 days. At each number of pending timers %,d more are scheduled, %,d at a time, each "
                        + "such chunk cancelled%nbefore the next, which is not counted. CPU is the whole process's. "
                        + "A column for each number.%n%n",
                measured, chunk);
        Results results = new Results(pending.stream().map(FlatProgram::name).toArray(String[]::new));
        System.out.println("warm-up");
        round(data.fresh("flat"), List.of(Math.min(WARM_UP, pending.get(0))), results);
        results.startCounting();
        for (int round = 1; round <= rounds; round++) {
            System.out.println("round " + round);
            System.gc();
            round(data.fresh("flat"), pending, results);
        }
        DataDirectory.delete(data.root().resolve("flat"));
        results.print();
    }

    private void round(Path directory, List<Integer> populations, Results results) throws Exception {
        try (Tickwheel engine = Tickwheel.open(FileTimerStore.in(directory))) {
            TickwheelPlanSink sink = new TickwheelPlanSink(engine, window / producers.count());
            int filled = 0;
            for (int population : populations) {
                producers.fill(sink, "filling", TimerPlan.after("order-", FAR), filled, population);
                filled = population;
                Cost cost = new Cost(0, 0, 0);
                for (int done = 0; done < measured; done += chunk) {
                    cost = cost.plus(chunk(engine, sink));
                }
                int scheduled = (measured + chunk - 1) / chunk * chunk;
                results.add("us a schedule", name(population), cost.nanos() / 1e3 / scheduled);
                results.add("CPU us a schedule", name(population), cost.cpuNanos() / 1e3 / scheduled);
                results.add("bytes written a schedule", name(population), (double) cost.bytesWritten() / scheduled);
            }
        }
    }

    private Cost chunk(Tickwheel engine, PlanSink sink) throws Exception {
        TimerPlan plan = TimerPlan.after("measured-", FAR);
        Cost before = Cost.now();
        producers.fillQuietly(sink, plan, 0, chunk);
        Cost cost = Cost.since(before);
        List<CompletableFuture<Cancelled>> cancels = new ArrayList<>();
        for (int number = 0; number < chunk; number++) {
            cancels.add(engine.cancel(QUEUE, plan.key(number)));
        }
        for (CompletableFuture<Cancelled> cancel : cancels) {
            if (cancel.join().outcome() != Cancelled.Outcome.CANCELLED) {
                throw new IllegalStateException("not cancelled: " + cancel.join());
            }
        }
        return cost;
    }

    private static String name(int population) {
        return String.format(Locale.ROOT, "%,d pending", population);
    }
}
