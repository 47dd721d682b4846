package io.tickwheel.benchmarks;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Target;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TickwheelBuilder;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.TimerStore;
import io.tickwheel.store.file.FileTimerStore;
import io.tickwheel.store.redis.RedisAddress;
import io.tickwheel.store.redis.RedisTimerStore;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongFunction;

/** A JVM of {@link NeighboursProgram}, which ends without closing its store. */
final class NeighboursChild {

    private static final String BURST = "burst";
    private static final String STUCK = "stuck-";
    private static final String TARGET = "target";
    private static final int WINDOW = 8_192;
    private static final int PAYLOADS_IN_FLIGHT = 4;
    private static final long AHEAD_MS = 5_000;
    private static final long STALL_MS = 120_000;
    private static final long OVERDUE_MS = 3_600_000;
    private static final int MOST_PROBES = 1_500;
    private static final long KNOWN_MS = 2_000;
    private static final long MOST_HANGING_OVERDUE = 1_000_000;
    private static final int ORDER_QUEUES = 24;
    private static final int ORDER_OVERDUE = 800;
    private static final int ORDER_LOADED = 1_024;
    private static final int HANDLER_MS = 20;
    private static final Duration RETRY = Duration.ofMillis(100);
    private static final String THREADS = "tickwheel";
    private static final double MIB = 1 << 20;

    private final CollectedHeap heap = CollectedHeap.watch();
    private final String redis;
    private final String directory;
    private final int stuckQueues;
    private final int overdue;
    private final int hanging;
    private final int hangingOverdue;
    private final int hangMs;
    private final int down;
    private final int downOverdue;
    private final int burst;
    private final int payloads;
    private final int payloadBytes;
    private final int backlog;
    private final int sameQueue;
    private final int answerMs;
    private final int freshPerSecond;
    private final int seconds;

    private NeighboursChild(Options options) {
        redis = options.text("redis", "");
        directory = options.text("directory", "");
        stuckQueues = options.number("stuck-queues", 0);
        overdue = options.number("overdue", 0);
        hanging = options.number("hanging", 0);
        hangingOverdue = options.number("hanging-overdue", 0);
        hangMs = options.number("hang-ms", 0);
        down = options.number("down", 0);
        downOverdue = options.number("down-overdue", 0);
        burst = options.number("burst", 0);
        payloads = options.number("payloads", 0);
        payloadBytes = options.number("payload-bytes", 0);
        backlog = options.number("backlog", 0);
        sameQueue = options.number("same-queue", 0);
        answerMs = options.number("answer-ms", 0);
        freshPerSecond = options.number("fresh-a-second", 0);
        seconds = options.number("seconds", 0);
    }

    public static void main(String[] arguments) throws Exception {
        NeighboursChild child =
                new NeighboursChild(new Options(Arrays.asList(arguments).subList(1, arguments.length)));
        switch (arguments[0]) {
            case "stuck" -> child.stuck();
            case "stuck-again" -> child.stuckAgain();
            case "hanging" -> child.hanging();
            case "down" -> child.down();
            case "order-fill" -> child.orderFill();
            case "order" -> child.order();
            case "payloads-fill" -> child.payloadsFill();
            case "payloads" -> child.payloads();
            case "backlog-fill" -> child.backlogFill();
            case "backlog" -> child.backlog();
            case "same-queue-fill" -> child.sameQueueFill();
            case "same-queue" -> child.sameQueue();
            default -> throw new IllegalArgumentException("no part " + arguments[0]);
        }
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    private TickwheelBuilder builder() {
        TimerStore store = redis.isEmpty()
                ? FileTimerStore.in(Path.of(directory))
                : RedisTimerStore.at(RedisAddress.single(redis));
        return Tickwheel.builder(store);
    }

    // ---- queues without a target

    private void stuck() throws Exception {
        Tickwheel engine = builder().open();
        double alone = burstAlone(engine);
        long start = System.nanoTime();
        fill(engine, (long) stuckQueues * overdue, number -> STUCK + number % stuckQueues, overdueAt());
        ChildFigures.print("filled, timers/s", (double) stuckQueues * overdue * 1e9 / (System.nanoTime() - start));
        beside(engine, alone);
        drain(engine, 0);
    }

    private void stuckAgain() throws Exception {
        long start = System.nanoTime();
        Tickwheel engine = builder().open();
        ChildFigures.print("opened, ms", millisSince(start));
        fresh(engine);
        burst(engine, 2);
        drain(engine, 1);
    }

    /** Gives a stuck queue a handler. */
    private void drain(Tickwheel engine, int queue) throws Exception {
        HandledTimers handled = new HandledTimers(Clock.system(), (long) stuckQueues * overdue);
        long start = System.nanoTime();
        engine.handle(STUCK + queue, handled);
        handled.await(overdue, STALL_MS);
        ChildFigures.print("a stuck queue gets a handler: its first, ms", (handled.firstNanos() - start) / 1e6);
        ChildFigures.print("all of it, ms", (handled.lastNanos() - start) / 1e6);
    }

    // ---- targets that never answer

    /** A target gives an attempt up when it has run for as long as a callback waits for an answer. The queue in order is known by then. */
    private void hanging() throws Exception {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        TickwheelBuilder builder = builder().target(TARGET, (attempt, delivery) -> {
            var unused = timer.schedule(() -> delivery.unreachable("no answer"), hangMs, MILLISECONDS);
        });
        for (int i = 0; i < hanging; i++) {
            builder.queueDestination(STUCK + i, new Destination(TARGET, "host-" + i));
        }
        Tickwheel engine = builder.open();
        double alone = burstAlone(engine);
        CompletableFuture<Void> filled = CompletableFuture.runAsync(
                () -> fill(
                        engine,
                        Math.min((long) hanging * hangingOverdue, MOST_HANGING_OVERDUE),
                        number -> STUCK + number % hanging,
                        overdueAt()),
                CompletableFuture.delayedExecutor(KNOWN_MS, MILLISECONDS));
        fresh(engine);
        filled.join();
        burstBeside(engine, alone);
    }

    // ---- destinations that are not to be reached

    private void down() throws Exception {
        LongAdder attempts = new LongAdder();
        Tickwheel engine = builder()
                .target(TARGET, (attempt, delivery) -> {
                    attempts.increment();
                    delivery.unreachable("nobody is there");
                })
                .retry(RetryPolicy.fixed(RetryPolicy.MAX_ATTEMPTS, RETRY))
                .open();
        double alone = burstAlone(engine);
        LongFunction<Instant> dueAt = overdueAt();
        fill(
                (long) down * downOverdue,
                number -> engine.schedule(request(STUCK, number, dueAt)
                        .withDestination(new Destination(TARGET, "host-" + number % down))));
        ChildFigures.print("until all are known to be down, ms", millisUntilKnown(attempts));
        long attemptsBefore = attempts.sum();
        double cpuBefore = cpuSeconds();
        long start = System.nanoTime();
        fresh(engine);
        double seconds = (System.nanoTime() - start) / 1e9;
        ChildFigures.print("attempts to them, /s", (attempts.sum() - attemptsBefore) / seconds);
        ChildFigures.print("threads of the engine, % of a processor", (cpuSeconds() - cpuBefore) * 100 / seconds);
        burstBeside(engine, alone);
    }

    /** Twenty attempts to each must have reached nobody; from then on, a thousand a second are made to all. */
    private static double millisUntilKnown(LongAdder attempts) throws InterruptedException {
        long start = System.nanoTime();
        long before;
        do {
            before = attempts.sum();
            Thread.sleep(1_000);
        } while (attempts.sum() - before > MOST_PROBES && millisSince(start) < STALL_MS);
        return millisSince(start);
    }

    private static double cpuSeconds() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        return Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
                        .filter(thread ->
                                thread != null && thread.getThreadName().startsWith(THREADS))
                        .mapToLong(thread -> threads.getThreadCpuTime(thread.getThreadId()))
                        .sum()
                / 1e9;
    }

    // ---- the oldest first

    private void orderFill() {
        long first = System.currentTimeMillis() - OVERDUE_MS;
        // Closed in order: of a node that died the partitions come one after the other, as its leases run out.
        try (Tickwheel engine = builder().open()) {
            fill(
                    engine,
                    ORDER_QUEUES * ORDER_OVERDUE,
                    number -> STUCK + number % ORDER_QUEUES,
                    number -> Instant.ofEpochMilli(first + number));
        }
    }

    private void order() throws Exception {
        int count = ORDER_QUEUES * ORDER_OVERDUE;
        AtomicInteger next = new AtomicInteger();
        AtomicIntegerArray places = new AtomicIntegerArray(count);
        HandledTimers handled = new HandledTimers(Clock.system(), count);
        TickwheelBuilder builder = builder().loadedTimers(ORDER_LOADED).target(TARGET, answering(1, attempt -> {
            places.set((int) TimerPlan.number(attempt.payload()), next.getAndIncrement());
            handled.handle(attempt);
        }));
        for (int i = 0; i < ORDER_QUEUES; i++) {
            builder.queueDestination(STUCK + i, new Destination(TARGET, "host-" + i));
        }
        long start = System.nanoTime();
        Tickwheel engine = builder.open();
        handled.await(count, STALL_MS);
        ChildFigures.print("all, ms", millisSince(start));
        int farthest = 0;
        for (int rank = 0; rank < count; rank++) {
            farthest = Math.max(farthest, Math.abs(places.get(rank) - rank));
        }
        ChildFigures.print("place and rank differ by at most, % of the overdue", 100.0 * farthest / count);
        engine.close();
    }

    // ---- large payloads

    private void payloadsFill() {
        Tickwheel engine = builder().open();
        Outstanding outstanding = new Outstanding(PAYLOADS_IN_FLIGHT);
        long dueAtMs = System.currentTimeMillis();
        for (int number = 0; number < payloads; number++) {
            byte[] content = new byte[payloadBytes];
            ByteBuffer.wrap(content).putLong(number);
            outstanding.add(engine.schedule(TimerRequest.at(BURST, "large-" + number, Instant.ofEpochMilli(dueAtMs))
                    .withPayload(content)));
        }
        outstanding.join();
    }

    private void payloads() throws Exception {
        Tickwheel engine = builder().open();
        HandledTimers handled = new HandledTimers(Clock.system(), payloads);
        long start = System.nanoTime();
        engine.handle(BURST, attempt -> {
            Thread.sleep(HANDLER_MS); // As long it is in memory.
            handled.handle(attempt);
        });
        handled.await(payloads, STALL_MS);
        ChildFigures.print("delivered", (double) handled.distinct());
        ChildFigures.print("more than once", (double) handled.again());
        ChildFigures.print("all, ms", millisSince(start));
        ChildFigures.print("most heap after a collection, MiB", heap.takeMostBytes() / MIB);
        engine.close();
    }

    // ---- a backlog that is delivered after a crash

    private void backlogFill() {
        fill(builder().open(), backlog, number -> STUCK + 0, overdueAt());
    }

    private void backlog() throws Exception {
        HandledTimers handled = new HandledTimers(Clock.system(), backlog);
        Tickwheel engine = builder()
                .target(TARGET, answering(answerMs, handled::handle))
                .queueDestination(STUCK + 0, new Destination(TARGET, "host"))
                .open();
        long start = System.nanoTime();
        fresh(engine);
        handled.await(backlog, STALL_MS);
        ChildFigures.print("delivered after, ms", millisSince(start));
    }

    // ---- a backlog of the queue in order itself

    private void sameQueueFill() {
        try (Tickwheel engine = builder().open()) {
            fill(engine, sameQueue, number -> FreshTimers.QUEUE, overdueAt());
        }
    }

    private void sameQueue() throws Exception {
        HandledTimers backward = new HandledTimers(Clock.system(), sameQueue);
        FreshArrivals fresh = new FreshArrivals(freshPerSecond, seconds);
        Tickwheel engine = builder()
                .target(TARGET, answering(answerMs, attempt -> {
                    if (FreshTimers.isOne(attempt)) {
                        fresh.handle(attempt);
                    } else {
                        backward.handle(attempt);
                    }
                }))
                .queueDestination(FreshTimers.QUEUE, new Destination(TARGET, "host"))
                .open();
        long start = System.nanoTime();
        fresh.watch(engine);
        ChildFigures.print("of the backlog by then", (double) backward.distinct());
        backward.await(sameQueue, STALL_MS);
        ChildFigures.print("delivered after, ms", millisSince(start));
        engine.close();
    }

    /** What a target does with an attempt before it answers. */
    private interface Arrival {
        void arrived(Attempt attempt);
    }

    private static Target answering(int afterMs, Arrival arrival) {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        return (attempt, delivery) -> {
            arrival.arrived(attempt);
            var unused = timer.schedule(delivery::acknowledge, afterMs, MILLISECONDS);
        };
    }

    // ---- the queue in order beside them

    private double burstAlone(Tickwheel engine) throws Exception {
        burst(engine, 0); // The first is of code that is not compiled yet.
        double alone = burst(engine, 1);
        ChildFigures.print("burst alone, ms", alone);
        return alone;
    }

    private void beside(Tickwheel engine, double alone) throws Exception {
        fresh(engine);
        burstBeside(engine, alone);
    }

    private void burstBeside(Tickwheel engine, double alone) throws Exception {
        double besides = burst(engine, 2);
        ChildFigures.print("burst, ms", besides);
        ChildFigures.print("burst / alone", besides / alone);
    }

    private void fresh(Tickwheel engine) throws Exception {
        FreshArrivals fresh = new FreshArrivals(freshPerSecond, seconds);
        engine.handle(FreshTimers.QUEUE, fresh);
        fresh.watch(engine);
    }

    /** Returns how many milliseconds after their due time the last came. */
    private double burst(Tickwheel engine, int round) throws Exception {
        HandledTimers handled = new HandledTimers(Clock.system(), burst);
        engine.handle(BURST + "-" + round, handled);
        long dueAtMs = System.currentTimeMillis() + AHEAD_MS;
        fill(engine, burst, number -> BURST + "-" + round, number -> Instant.ofEpochMilli(dueAtMs));
        if (System.currentTimeMillis() >= dueAtMs) {
            throw new IllegalStateException("scheduling the burst took longer than " + AHEAD_MS + " ms");
        }
        handled.await(burst, STALL_MS);
        return handled.lateMicros().getMaxValue() / 1e3;
    }

    // ---- all of them

    private static LongFunction<Instant> overdueAt() {
        Instant now = Instant.now();
        return number -> now;
    }

    private static void fill(Tickwheel engine, long count, LongFunction<String> queue, LongFunction<Instant> dueAt) {
        fill(count, number -> engine.schedule(request(queue.apply(number), number, dueAt)));
    }

    private static void fill(long count, LongFunction<CompletableFuture<Scheduled>> schedule) {
        Outstanding outstanding = new Outstanding(WINDOW);
        for (long number = 0; number < count; number++) {
            outstanding.add(schedule.apply(number));
        }
        outstanding.join();
    }

    private static TimerRequest request(String queue, long number, LongFunction<Instant> dueAt) {
        return TimerRequest.at(queue, "order-" + number, dueAt.apply(number)).withPayload(TimerPlan.payload(number));
    }

    private static double millisSince(long startNanos) {
        return (System.nanoTime() - startNanos) / 1e6;
    }
}
