package io.tickwheel.store.redis.faults;

import io.tickwheel.redis.testkit.Patience;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A load on a set of nodes: timers are scheduled at some rate, by any node that runs, and some of them are replaced or cancelled
 * by any other. What is not known to have been done is done again. Started and stopped by the test, runs in a thread of its own.
 */
final class FaultLoad {

    private static final long AGAIN_MS = 50;

    private record Step(long atMs, Runnable run) {}

    private final FaultLedger ledger;
    private final Supplier<List<FaultNode>> nodes;
    private final SplittableRandom random;
    private final String name;
    private final int perSecond;
    private final int shortestMs;
    private final int spreadMs;
    private final Queue<Step> steps = new ConcurrentLinkedQueue<>();
    private final AtomicInteger unfinished = new AtomicInteger();
    private final AtomicInteger answered = new AtomicInteger();
    private final Thread thread;
    private volatile boolean stopping;
    private int keys;
    private int tokens;

    FaultLoad(
            FaultLedger ledger,
            Supplier<List<FaultNode>> nodes,
            long seed,
            String name,
            int perSecond,
            int shortestMs,
            int spreadMs) {
        this.ledger = ledger;
        this.nodes = nodes;
        this.random = new SplittableRandom(seed);
        this.name = name;
        this.perSecond = perSecond;
        this.shortestMs = shortestMs;
        this.spreadMs = spreadMs;
        this.thread = new Thread(this::run, "load-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    /** How many commands got an answer that says what happened. */
    int answered() {
        return answered.get();
    }

    /** Waits until so many more commands got an answer that says what happened. */
    void awaitAnswers(int more) {
        int goal = answered.get() + more;
        Patience.until(more + " more answers", () -> answered.get() >= goal);
    }

    /** Begins nothing more, and waits until all that was begun has its answers. */
    void stop() {
        stopping = true;
        Patience.until("the load has ended", () -> !thread.isAlive());
    }

    private void run() {
        long startMs = System.currentTimeMillis();
        long begun = 0;
        while (!stopping || unfinished.get() > 0) {
            long nowMs = System.currentTimeMillis();
            while (!stopping && begun < (nowMs - startMs) * perSecond / 1_000) {
                begun++;
                begin();
            }
            int waiting = steps.size();
            for (int i = 0; i < waiting; i++) {
                Step step = steps.remove();
                if (step.atMs <= nowMs) {
                    step.run.run();
                } else {
                    steps.add(step);
                }
            }
            LockSupport.parkNanos(5_000_000);
        }
    }

    private void begin() {
        unfinished.incrementAndGet();
        int fate = random.nextInt(100);
        schedule(name + ++keys, fate < 20 ? 1 : 0, fate >= 80);
    }

    private long someDueMs() {
        return System.currentTimeMillis() + shortestMs + random.nextInt(spreadMs);
    }

    private void schedule(String key, int replaces, boolean cancels) {
        FaultNode node = anyNode();
        if (node == null) {
            again(() -> schedule(key, replaces, cancels));
            return;
        }
        CompletableFuture<Void> unused = ledger.schedule(node, key, key + "." + ++tokens, someDueMs())
                .thenAccept(answer -> {
                    if (!answer.isMade()) {
                        again(() -> schedule(key, replaces, cancels));
                        return;
                    }
                    answered.incrementAndGet();
                    if (replaces > 0) {
                        soon(() -> schedule(key, replaces - 1, cancels));
                    } else if (cancels) {
                        soon(() -> cancel(key));
                    } else {
                        unfinished.decrementAndGet();
                    }
                });
    }

    private void cancel(String key) {
        FaultNode node = anyNode();
        if (node == null) {
            again(() -> cancel(key));
            return;
        }
        CompletableFuture<Void> unused = ledger.cancel(node, key).thenAccept(answer -> {
            if (answer.isUnknown() || answer.kind() == FaultAnswer.Kind.REFUSED) {
                again(() -> cancel(key));
                return;
            }
            answered.incrementAndGet();
            unfinished.decrementAndGet();
        });
    }

    private void soon(Runnable run) {
        steps.add(new Step(0, run));
    }

    private void again(Runnable run) {
        steps.add(new Step(System.currentTimeMillis() + AGAIN_MS, run));
    }

    private @Nullable FaultNode anyNode() {
        List<FaultNode> running =
                nodes.get().stream().filter(FaultNode::isRunning).toList();
        return running.isEmpty() ? null : running.get(random.nextInt(running.size()));
    }
}
