package io.tickwheel.wheel;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A {@link WheelTimer} on one thread, and beside it the truth: a sorted set of the timeouts that wait. Every call goes to
 * both, and so does everything that the timer does by itself: any difference is an {@link AssertionError}. A run is a
 * function of its seed.
 */
final class TimerModel {
    /** So few that all of them expire in one batch: which timeouts have left the wheel is then no secret. */
    private static final int MOST_WAITING = 60;

    private enum Place {
        WHEEL,
        EXPIRED,
        RUNNING,
        ENDED
    }

    private final SplittableRandom random;
    private final StrictTime time;
    private final long originNanos;
    private final long tickNanos;
    private final long unitNanos;
    private final int maxPending;
    private final boolean onExecutor;
    private final RejectionPolicy onRejection;
    private final int refusals;
    private final int deeds;
    private final int closings;
    private final WheelTimer timer;

    private final TreeSet<Task> wheel =
            new TreeSet<>(Comparator.<Task>comparingLong(task -> task.tick).thenComparingLong(task -> task.sequence));
    private final List<Task> batch = new ArrayList<>();
    private final Map<Runnable, Task> byTimeout = new HashMap<>();
    private final Queue<Task> executorQueue = new ArrayDeque<>();
    private final List<Task> tasks = new ArrayList<>();
    private @Nullable Throwable expectedFailure;
    private @Nullable Task expectedRejection;
    private @Nullable AssertionError difference;
    private boolean expiring;
    private boolean closed;
    private boolean emptied;
    private int catchingUp;

    private long lastSequence;
    private int permits;
    private long scheduled;
    private long cancelled;
    private long fired;
    private long failed;
    private long rejected;
    private long maxLateness;

    private int operation;
    private String call = "";

    TimerModel(long seed) {
        random = new SplittableRandom(seed);
        originNanos = random.nextInt(3) == 0 ? Long.MAX_VALUE - random.nextInt(1_000_000) : random.nextLong();
        time = new StrictTime(originNanos);
        tickNanos = new long[] {1, 7, 1_000, 1_000_000, 100_000_000}[random.nextInt(5)];
        unitNanos = Math.max(1, tickNanos * new int[] {1, 1, 3, 10, 300, 70_000}[random.nextInt(6)] / 3);
        maxPending = random.nextInt(3) == 0 ? random.nextInt(1, 20) : Integer.MAX_VALUE;
        onExecutor = random.nextBoolean();
        onRejection = List.of(RejectionPolicy.values()).get(random.nextInt(3));
        refusals = random.nextInt(3) == 0 ? 0 : random.nextInt(60);
        deeds = random.nextInt(4) == 0 ? 0 : random.nextInt(50);
        closings = random.nextInt(3);
        WheelTimerBuilder settings = WheelTimer.builder()
                .clock(time)
                .driver(time)
                .tick(Duration.ofNanos(tickNanos))
                .stripes(1 << random.nextInt(3))
                .maxPending(maxPending)
                .onRejection(onRejection)
                .listener(new ExpectingListener());
        timer = (onExecutor ? settings.executor(this::execute) : settings).build();
    }

    void run(int operations) {
        for (operation = 0; operation < operations; operation++) {
            int dice = random.nextInt(100);
            if (dice < 55) {
                deed();
            } else if (dice < 75) {
                runQueued();
            } else if (dice < 99) {
                advance();
            } else if (random.nextInt(2) < closings) {
                close();
            }
            compare();
        }
        finish();
    }

    private void finish() {
        call = "the end";
        timer.shutdown();
        closed = true;
        for (int round = 0; round < 100 && !(wheel.isEmpty() && executorQueue.isEmpty()); round++) {
            runQueued();
            if (!wheel.isEmpty()) {
                long last = nanosOf(wheel.last().tick);
                if (last == Long.MAX_VALUE) {
                    cancel(wheel.last());
                } else {
                    time.pass(Math.max(0, last - elapsed()));
                    expireIfDue();
                }
            }
            compare();
        }
        require(wheel.isEmpty() && executorQueue.isEmpty(), "timeouts are left at the end of time");
        require(timer.isTerminated(), "not terminated at the end of time");
    }

    /** What a thread may do with a timer, and what a task may. */
    private void deed() {
        int dice = random.nextInt(20);
        if (dice < 8) {
            schedule();
        } else if (dice < 10) {
            schedulePeriodic();
        } else if (dice < 14) {
            randomTask(this::cancel);
        } else if (dice < 18) {
            randomTask(this::reschedule);
        } else {
            randomTask(this::look);
        }
    }

    private void randomTask(java.util.function.Consumer<Task> deed) {
        if (!tasks.isEmpty()) {
            // Mostly one of the last: those of long ago have ended.
            int from = random.nextInt(8) == 0 ? 0 : Math.max(0, tasks.size() - 30);
            deed.accept(tasks.get(random.nextInt(from, tasks.size())));
        }
    }

    private void schedule() {
        if (wheel.size() >= MOST_WAITING) {
            return;
        }
        Task task = new Task(null, 0);
        long delay = randomDelay();
        long slack = random.nextInt(3) == 0 ? random.nextLong(unitNanos * 40) : 0;
        call = "schedule in " + delay + ", slack " + slack;
        boolean refused = isRefused();
        task.deadline = saturated(elapsed(), Math.max(0, delay));
        task.tick = withSlack(task.deadline, slack);
        try {
            Timeout timeout = slack > 0
                    ? timer.schedule(task, Duration.ofNanos(delay), Duration.ofNanos(slack))
                    : timer.schedule(task, delay, java.util.concurrent.TimeUnit.NANOSECONDS);
            require(!refused, "accepted");
            accepted(task, timeout);
        } catch (RejectedExecutionException e) {
            require(refused, "refused: " + e);
        }
    }

    private void schedulePeriodic() {
        if (wheel.size() >= MOST_WAITING) {
            return;
        }
        Periodic.Rule rule = List.of(Periodic.Rule.values()).get(random.nextInt(3));
        Task task = new Task(rule, random.nextLong(unitNanos * 5, unitNanos * 100));
        long delay = randomDelay();
        call = rule + " in " + delay + " each " + task.period;
        boolean refused = isRefused();
        task.deadline = saturated(elapsed(), Math.max(0, delay));
        task.tick = tickFrom(task.deadline);
        try {
            Timeout timeout = schedulePeriodic(task, rule, delay);
            require(!refused, "accepted");
            accepted(task, timeout);
            catchingUp += rule == Periodic.Rule.FIXED_RATE_CATCHING_UP ? 1 : 0;
        } catch (RejectedExecutionException e) {
            require(refused, "refused: " + e);
        }
    }

    private Timeout schedulePeriodic(Task task, Periodic.Rule rule, long delay) {
        return switch (rule) {
            case FIXED_RATE -> timer.scheduleAtFixedRate(task, Duration.ofNanos(delay), Duration.ofNanos(task.period));
            case FIXED_DELAY ->
                timer.scheduleWithFixedDelay(task, Duration.ofNanos(delay), Duration.ofNanos(task.period));
            case FIXED_RATE_CATCHING_UP -> {
                Periodic node = new Periodic(timer.stripe(), task, rule, task.period, task.deadline);
                timer.admit();
                try {
                    timer.startAdmitted(node, Math.max(0, delay));
                } catch (RejectedExecutionException e) {
                    timer.dismiss();
                    throw e;
                }
                yield node;
            }
        };
    }

    private boolean isRefused() {
        return closed || permits >= maxPending;
    }

    private void accepted(Task task, Timeout timeout) {
        task.timeout = timeout;
        byTimeout.put((Runnable) timeout, task);
        tasks.add(task);
        scheduled++;
        permits++;
        enterWheel(task);
    }

    private void enterWheel(Task task) {
        task.sequence = ++lastSequence;
        task.anyOrder = false;
        // A run that is made up for queues with those of the tick that the wheel has reached.
        task.overdue = task.tick < tickAt(elapsed());
        task.place = Place.WHEEL;
        wheel.add(task);
    }

    private void cancel(Task task) {
        call = "cancel " + task;
        boolean possible = task.place != Place.ENDED;
        require(task.timeout.cancel() == possible, "cancel");
        if (possible) {
            cancelled++;
            permits -= task.place == Place.WHEEL || task.rule != null ? 1 : 0;
            wheel.remove(task);
            end(task, Timeout.State.CANCELLED);
        }
    }

    private void end(Task task, Timeout.State state) {
        task.place = Place.ENDED;
        task.end = state;
        catchingUp -= task.rule == Periodic.Rule.FIXED_RATE_CATCHING_UP ? 1 : 0;
    }

    private void reschedule(Task task) {
        long delay = randomDelay();
        call = "reschedule " + task + " to " + delay;
        boolean possible = task.place == Place.WHEEL;
        require(task.timeout.reschedule(Duration.ofNanos(delay)) == possible, "reschedule");
        if (possible) {
            long deadline = saturated(elapsed(), Math.max(0, delay));
            long tick = tickFrom(deadline);
            boolean later = tick >= task.tick;
            wheel.remove(task);
            task.deadline = deadline;
            task.tick = tick;
            enterWheel(task);
            task.anyOrder = later;
        }
    }

    private void look(Task task) {
        call = "look at " + task;
        require(task.timeout.state() == (task.place == Place.ENDED ? task.end : Timeout.State.PENDING), "state");
        long expected = task.place == Place.WHEEL && task.tick > 0 ? nanosOf(task.tick) - elapsed() : 0;
        require(task.timeout.remaining().equals(Duration.ofNanos(expected)), "remaining");
    }

    private void advance() {
        long delay = catchingUp == 0 && random.nextInt(20) == 0
                ? random.nextLong(1L << 50)
                : random.nextLong(unitNanos * (random.nextInt(5) == 0 ? 300 : 20));
        if (elapsed() > Long.MAX_VALUE / 2) {
            return;
        }
        call = "advance by " + delay + " from " + elapsed();
        expiring = true;
        if (random.nextInt(3) == 0 || delay > unitNanos * 1_000) {
            time.pass(delay);
            expireIfDue();
        } else {
            time.advance(delay);
        }
        expiring = false;
        call = "after " + call;
        require(
                batch.stream().allMatch(task -> task.place != Place.EXPIRED || onExecutor),
                "some were not handed over");
        batch.clear();
        require(wheel.isEmpty() || wheel.first().tick > tickAt(elapsed()), "missed " + wheel);
    }

    private void expireIfDue() {
        expiring = true;
        time.expireIfDue();
        expiring = false;
    }

    private void execute(Runnable node) {
        Task task = byTimeout.get(node);
        handedOver(task);
        if (random.nextInt(100) >= refusals) {
            executorQueue.add(task);
            return;
        }
        rejected++;
        if (task.place == Place.EXPIRED) {
            refuse(task);
        }
        throw new RejectedExecutionException("busy");
    }

    private void refuse(Task task) {
        if (onRejection == RejectionPolicy.FAIL || (onRejection == RejectionPolicy.RETRY && emptied)) {
            expectedRejection = task;
            permits -= task.rule == null ? 0 : 1;
            end(task, Timeout.State.FAILED);
        } else if (onRejection == RejectionPolicy.RETRY) {
            permits += task.rule == null ? 1 : 0;
            task.tick = tickAt(elapsed()) + 1;
            enterWheel(task);
        }
    }

    /** The timer hands over a timeout: it must be the next one. */
    private void handedOver(Task task) {
        require(expiring, "handed over by a call that does not expire");
        if (!batch.contains(task)) {
            require(batch.stream().allMatch(other -> other.place == Place.ENDED), task + " before all of " + batch);
            expireBatch();
        }
        require(batch.contains(task), task + " came early, or twice");
        for (Task other = batch.get(0); other != task; other = batch.get(batch.indexOf(other) + 1)) {
            require(
                    other.place == Place.ENDED
                            || other.overdue
                            || task.overdue
                            || (other.tick == task.tick && (other.anyOrder || task.anyOrder)),
                    task + " came before " + other);
        }
        batch.remove(task);
    }

    private void expireBatch() {
        batch.clear();
        long now = elapsed();
        while (!wheel.isEmpty() && wheel.first().tick <= tickAt(now)) {
            Task task = wheel.pollFirst();
            task.place = Place.EXPIRED;
            batch.add(task);
            fired++;
            permits -= task.rule == null ? 1 : 0;
            maxLateness = Math.max(maxLateness, now - nanosOf(task.tick));
        }
    }

    private void runQueued() {
        for (int count = random.nextInt(4); count >= 0 && !executorQueue.isEmpty(); count--) {
            Task task = executorQueue.remove();
            boolean starts = task.place == Place.EXPIRED;
            long before = task.runs;
            call = "run " + task;
            ((Runnable) task.timeout).run();
            require(task.runs - before == (starts ? 1 : 0), "runs");
        }
    }

    private void close() {
        call = "close";
        if (random.nextBoolean()) {
            timer.shutdown();
            closed = true;
            return;
        }
        call = "shutdownNow";
        List<Runnable> returned = timer.shutdownNow();
        closed = true;
        emptied = true;
        List<Task> expected = new ArrayList<>(wheel);
        batch.stream()
                .filter(task -> task.place == Place.EXPIRED && !onExecutor)
                .forEach(expected::add);
        require(returned.size() == expected.size() && returned.containsAll(expected), returned + ", not " + expected);
        require(onExecutor || batch.isEmpty() || !wheel.isEmpty() || returned.equals(expected), "order of " + returned);
        cancelled += expected.size();
        wheel.clear();
        expected.forEach(task -> end(task, Timeout.State.CANCELLED));
    }

    private void compare() {
        if (difference != null) {
            throw difference;
        }
        WheelTimerMetrics metrics = timer.metrics();
        require(timer.pending() == wheel.size(), "pending " + timer.pending() + ", not " + wheel.size());
        require(metrics.pending() == wheel.size(), "metrics: pending");
        require(metrics.scheduled() == scheduled, "metrics: scheduled " + metrics.scheduled());
        require(metrics.cancelled() == cancelled, "metrics: cancelled " + metrics.cancelled() + ", not " + cancelled);
        require(metrics.fired() == fired, "metrics: fired " + metrics.fired() + ", not " + fired);
        require(metrics.failed() == failed, "metrics: failed " + metrics.failed());
        require(metrics.rejected() == rejected, "metrics: rejected " + metrics.rejected());
        require(metrics.lateness().count() == fired, "metrics: count of the lateness");
        require(metrics.lateness().max().toNanos() == maxLateness, "metrics: lateness " + metrics.lateness());
        require(metrics.wakeUps() == time.calls(), "metrics: wake-ups");
        require(timer.isShutdown() == closed, "isShutdown");
        require(timer.isTerminated() == (closed && wheel.isEmpty() && !expiring), "isTerminated");
        require(expectedFailure == null && expectedRejection == null, "the listener was not told");
    }

    private long randomDelay() {
        return switch (random.nextInt(12)) {
            case 0 -> 0;
            case 1 -> -random.nextLong(unitNanos * 10);
            case 2 -> random.nextInt(5) == 0 ? Long.MAX_VALUE - random.nextInt(10) : random.nextLong(Long.MAX_VALUE);
            case 3 -> tickNanos;
            case 4 -> tickNanos * random.nextInt(1, 300);
            case 5, 6 -> random.nextLong(unitNanos * 1_000);
            default -> random.nextLong(unitNanos * 30);
        };
    }

    private long elapsed() {
        return time.nanoTime() - originNanos;
    }

    private long tickAt(long nanos) {
        return nanos / tickNanos;
    }

    private long tickFrom(long nanos) {
        return nanos / tickNanos + (nanos % tickNanos == 0 ? 0 : 1);
    }

    private long nanosOf(long tick) {
        return tick > Long.MAX_VALUE / tickNanos ? Long.MAX_VALUE : tick * tickNanos;
    }

    /** The tick with the most zeros at its end, found by trying. */
    private long withSlack(long deadline, long slack) {
        long from = tickFrom(deadline);
        long to = Math.max(from, tickAt(saturated(deadline, slack)));
        int zeros = Long.SIZE - 1;
        while ((to >>> zeros << zeros) < from) {
            zeros--;
        }
        return slack == 0 || from == 0 ? from : to >>> zeros << zeros;
    }

    private static long saturated(long a, long b) {
        return a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b;
    }

    private void require(boolean condition, String what) {
        if (!condition) {
            // The timer catches what a task throws: remember it.
            difference = difference == null ? new AssertionError(what + " (" + this + ")") : difference;
            throw difference;
        }
    }

    @Override
    public String toString() {
        return "operation " + operation + ", " + call + ", tick " + tickNanos + ", unit " + unitNanos + ", maxPending "
                + maxPending + ", executor " + onExecutor + ", " + onRejection + ", elapsed " + elapsed();
    }

    private final class Task implements Runnable {
        private final Periodic.@Nullable Rule rule;
        private final long period;

        @SuppressWarnings("NullAway.Init")
        private Timeout timeout;

        private Place place = Place.ENDED;
        private Timeout.State end = Timeout.State.PENDING;
        private long deadline;
        private long tick;
        private long sequence;
        private boolean anyOrder;
        private boolean overdue;
        private long runs;

        Task(Periodic.@Nullable Rule rule, long period) {
            this.rule = rule;
            this.period = period;
        }

        @Override
        public void run() {
            if (!onExecutor) {
                handedOver(this);
            }
            require(place == Place.EXPIRED, this + " runs");
            runs++;
            place = Place.RUNNING;
            if (rule == null) {
                end(this, Timeout.State.STARTED);
            }
            act();
            compare();
            if (place == Place.RUNNING) {
                again();
            }
        }

        private void act() {
            if (random.nextInt(100) >= deeds) {
                return;
            }
            deed();
            int dice = random.nextInt(40);
            if (dice < 6) {
                time.pass(random.nextLong(unitNanos * 10));
            } else if (dice < 9) {
                cancel(this);
            } else if (dice < 11) {
                reschedule(this);
            } else if (dice == 11 && closings > 0 && random.nextInt(10) == 0) {
                close();
            } else if (dice < 15) {
                fail();
            }
        }

        private void fail() {
            failed++;
            if (place == Place.RUNNING) {
                permits--;
                end(this, Timeout.State.FAILED);
            }
            RuntimeException failure = new IllegalStateException("a task that throws");
            expectedFailure = failure;
            throw failure;
        }

        private void again() {
            if (closed) {
                cancelled++;
                end(this, Timeout.State.CANCELLED);
                return;
            }
            long now = elapsed();
            deadline = rule == Periodic.Rule.FIXED_DELAY ? saturated(now, period) : saturated(deadline, period);
            if (rule == Periodic.Rule.FIXED_RATE && deadline <= now) {
                deadline += (now - deadline + period) / period * period;
            }
            tick = tickFrom(deadline);
            enterWheel(this);
        }

        @Override
        public String toString() {
            return (rule == null ? "one-shot" : rule) + " " + tasks.indexOf(this) + " " + place + " tick " + tick;
        }
    }

    private final class ExpectingListener implements WheelTimerListener {
        @Override
        public void taskFailed(Timeout timeout, Throwable thrown) {
            if (difference == null) {
                require(thrown == expectedFailure, "failed: " + thrown);
                expectedFailure = null;
            }
        }

        @Override
        public void taskRejected(Timeout timeout, Runnable task, Throwable cause) {
            require(task == expectedRejection && byTimeout.get((Runnable) timeout) == task, "rejected: " + task);
            require(timeout.state() == Timeout.State.FAILED, "state of the rejected");
            expectedRejection = null;
        }
    }
}
