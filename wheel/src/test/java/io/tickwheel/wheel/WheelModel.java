package io.tickwheel.wheel;

import java.util.Comparator;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A wheel and beside it the truth: the scheduled timers, sorted by tick and schedule order. Every call goes to both; any
 * difference is an {@link AssertionError}. A run is a function of the wheel and the seed.
 */
final class WheelModel {
    private static final long HOUR_OF_MILLISECONDS = 3_600_000;

    private final AnyWheel wheel;
    private final SplittableRandom random;
    private final Timer[] timers;
    private final int delayBits;
    private final int slotBits;
    private final boolean smallLimits;
    private final int checkInterval;
    private final boolean handlerActs;
    private final boolean postpones;

    private final TreeSet<Timer> order = new TreeSet<>(
            Comparator.<Timer>comparingLong(timer -> timer.tick).thenComparingLong(timer -> timer.sequence));
    private final TreeMap<Long, Integer> deadlines = new TreeMap<>();
    private long lastSequence;
    private long now;

    private int operation;
    private String call = "";
    private boolean handlerScheduled;

    WheelModel(AnyWheel wheel, long seed) {
        this.wheel = wheel;
        random = new SplittableRandom(seed);
        now = wheel.currentTick();
        timers = new Timer[1 << random.nextInt(1, 10)];
        for (int i = 0; i < timers.length; i++) {
            timers[i] = new Timer(i);
        }
        delayBits = random.nextInt(2, 41);
        slotBits = Level.BITS * random.nextInt(1, 5);
        smallLimits = random.nextBoolean();
        // Mostly after every call; at times less often, as to ask for the next deadline changes what is known of it.
        checkInterval = random.nextInt(3) > 0 ? 1 : random.nextInt(2, 20);
        handlerActs = random.nextInt(4) > 0;
        postpones = wheel.canPostpone() && random.nextBoolean();
    }

    void run(int operations) {
        for (operation = 0; operation < operations; operation++) {
            int dice = random.nextInt(100);
            if (dice < 70) {
                change(randomTimer());
            } else if (dice < 99) {
                advance();
            } else if (random.nextInt(20) == 0) {
                clear();
            } else {
                expireAllDue();
            }
            if (operation % checkInterval == 0) {
                compare();
            }
        }
        now = Long.MAX_VALUE;
        expireAllDue();
        compare();
        require(order.isEmpty(), "timers left at the end of time");
    }

    private Timer randomTimer() {
        return timers[random.nextInt(timers.length)];
    }

    private void change(Timer timer) {
        boolean scheduled = order.contains(timer);
        require(wheel.isScheduled(timer.number) == scheduled, "isScheduled");
        int dice = random.nextInt(30);
        if (dice < 10) {
            if (scheduled && postpones) {
                postpone(timer);
            } else {
                reschedule(timer);
            }
        } else if (scheduled || dice == 10) {
            cancel(timer);
        } else {
            schedule(timer);
        }
    }

    private void schedule(Timer timer) {
        long deadline = randomDeadline();
        call = "schedule " + deadline;
        wheel.schedule(timer.number, deadline);
        add(timer, deadline);
    }

    private void reschedule(Timer timer) {
        long deadline = randomDeadline();
        call = "reschedule " + timer.deadline + " to " + deadline;
        wheel.reschedule(timer.number, deadline);
        remove(timer);
        add(timer, deadline);
    }

    private void postpone(Timer timer) {
        long deadline = Math.max(randomDeadline(), timer.deadline);
        call = "postpone " + timer.deadline + " to " + deadline;
        wheel.postpone(timer.number, deadline);
        remove(timer);
        add(timer, deadline);
        timer.postponed = true;
    }

    private void cancel(Timer timer) {
        call = "cancel " + timer.deadline;
        require(wheel.cancel(timer.number) == remove(timer), "cancel");
    }

    private void clear() {
        call = "clear";
        wheel.clear();
        order.clear();
        deadlines.clear();
    }

    private void advance() {
        long target = randomTarget();
        int limit = random.nextInt(3) == 0 && !smallLimits
                ? timers.length
                : random.nextInt(1, smallLimits ? 3 : timers.length + 1);
        now = Math.max(now, target);
        advance(target, limit, handlerActs);
    }

    private void advance(long target, int limit, boolean acting) {
        long before = wheel.currentTick();
        int[] handed = {0};
        handlerScheduled = false;
        String description = "advance from " + before + " to " + target + ", limit " + limit;
        call = description;
        boolean thrown = false;
        int expired = 0;
        try {
            expired = wheel.advance(target, limit, (number, deadline) -> {
                Timer timer = timers[number];
                require(++handed[0] <= limit, "limit");
                require(deadline == timer.deadline, "deadline handed out: " + deadline);
                expire(timer, target);
                if (acting) {
                    act(timer, target);
                }
            });
        } catch (HandlerFailure e) {
            thrown = true;
        }
        call = description;
        long current = wheel.currentTick();
        require(thrown || expired == handed[0], "count returned");
        require(current >= before && current <= Math.max(target, before), "current tick " + current);
        require(order.isEmpty() || order.first().tick >= current, "current tick " + current + " passed a timer");
        if (!thrown && !handlerScheduled && !postpones && limit == timers.length && wheel.isExact()) {
            // Not even a timer that comes down all levels, with all the others, needs more moves than this limit
            // grants; one that was postponed needs one more each time it is found at an old deadline.
            require(target < before || current == target, "current tick " + current);
            require(target < before || order.isEmpty() || order.first().tick > target, "left behind");
        }
    }

    private void expire(Timer timer, long target) {
        require(!order.isEmpty() && mayBeNext(timer), "order: got " + timer);
        require(timer.deadline <= target, "early: " + timer);
        require(timer.tick == wheel.currentTick(), "current tick " + wheel.currentTick() + " when expiring " + timer);
        require(!wheel.isScheduled(timer.number), "expiring timer is scheduled");
        remove(timer);
        if (checkInterval == 1) {
            compare();
        }
    }

    /** Where a timer that was postponed comes in its tick is left open; the others keep their order. */
    private boolean mayBeNext(Timer timer) {
        if (timer.postponed) {
            return timer.tick == order.first().tick;
        }
        for (Timer earlier : order) {
            if (!earlier.postponed) {
                return earlier == timer && timer.tick == order.first().tick;
            }
        }
        return false;
    }

    private void act(Timer expiring, long target) {
        int dice = random.nextInt(20);
        if (dice < 3) {
            handlerScheduled = true;
            change(randomTimer());
        } else if (dice < 5) {
            handlerScheduled = true;
            reschedule(expiring);
        } else if (dice < 6) {
            Timer victim = order.isEmpty() ? expiring : order.first();
            cancel(victim);
        } else if (dice == 6) {
            throw new HandlerFailure();
        } else if (dice == 7) {
            boolean refused = false;
            try {
                wheel.advance(target, 1, (number, deadline) -> {});
            } catch (IllegalStateException e) {
                refused = true;
            }
            require(refused, "nested advance");
        } else if (dice == 8 && random.nextInt(50) == 0) {
            clear();
        }
    }

    /** Nothing is missed: what is due comes within a bounded number of bounded calls. */
    private void expireAllDue() {
        int limit = random.nextInt(1, 4);
        long calls = 0;
        // A wheel that is not exact may have to visit them all, eight a call, for each that expires.
        long mostCalls = (2L + (wheel.isExact() ? 0 : order.size())) * (order.size() + 1);
        now = Math.max(now, wheel.currentTick());
        while (wheel.hasDue(now)) {
            advance(now, limit, false);
            compare();
            require(++calls <= mostCalls, "no progress");
        }
        require(!isDue(now), "missed");
        require(wheel.currentTick() <= now, "current tick");
    }

    private boolean isDue(long tick) {
        return tick >= wheel.currentTick() && !order.isEmpty() && deadlines.firstKey() <= tick;
    }

    private void compare() {
        require(wheel.size() == order.size(), "size " + wheel.size());
        require(wheel.isEmpty() == order.isEmpty(), "isEmpty");
        long next = wheel.nextDeadlineTick();
        if (order.isEmpty()) {
            require(next == Long.MAX_VALUE && !wheel.hasDue(now), "next deadline " + next + " of an empty wheel");
        } else if (wheel.isExact()) {
            require(next == deadlines.firstKey(), "next deadline " + next + ", not " + deadlines.firstKey());
            require(wheel.hasDue(now) == isDue(now), "hasDue");
        } else {
            long current = wheel.currentTick();
            require(next >= current && next <= order.first().tick, "next deadline " + next + ", not " + order.first());
            require(wheel.hasDue(now) == (now >= current && next <= now), "hasDue");
        }
    }

    private void add(Timer timer, long deadline) {
        int number = timer.number;
        require(wheel.isScheduled(number) && wheel.deadlineTick(number) == deadline, "state of the scheduled timer");
        timer.deadline = deadline;
        timer.tick = Math.max(deadline, wheel.currentTick());
        timer.sequence = ++lastSequence;
        timer.postponed = false;
        order.add(timer);
        deadlines.merge(deadline, 1, Integer::sum);
    }

    private boolean remove(Timer timer) {
        boolean removed = order.remove(timer);
        if (removed) {
            deadlines.merge(timer.deadline, -1, (a, b) -> a + b == 0 ? null : a + b);
        }
        return removed;
    }

    private long randomDeadline() {
        long current = wheel.currentTick();
        return switch (random.nextInt(14)) {
            case 0 -> current;
            case 1 -> Math.max(0, current - random.nextLong(1, 1_000));
            case 2, 3 -> plus(current, random.nextInt(4));
            // A tick that another timer has, or nearly: order within a tick, and slots with more than one tick.
            case 4, 5 -> plus(randomTimer().deadline, random.nextInt(2));
            case 6 -> plus(current, random.nextLong(1 << 17));
            case 7 -> plus(current, random.nextLong(Long.MAX_VALUE) >>> random.nextInt(Long.SIZE - 1));
            case 8, 9 -> plus(current, random.nextLong(1L << delayBits));
            // Crowds in one slot, which small limits cascade over many calls.
            default -> plus(((current >>> slotBits) + 1) << slotBits, random.nextLong(1L << slotBits));
        };
    }

    private long randomTarget() {
        long current = wheel.currentTick();
        return switch (random.nextInt(12)) {
            case 0 -> current;
            case 1 -> current - random.nextLong(1, 100);
            case 2 -> now;
            case 3, 4 -> plus(current, 1);
            case 5 -> plus(current, random.nextLong(300));
            case 6 -> plus(current, random.nextLong(1L << delayBits) >>> random.nextInt(delayBits));
            case 7 -> random.nextInt(4) == 0 ? plus(current, HOUR_OF_MILLISECONDS) : current;
            case 8 -> deadlines.isEmpty() ? current : deadlines.firstKey() - 1;
            default -> deadlines.isEmpty() ? current : plus(deadlines.firstKey(), random.nextInt(2));
        };
    }

    private static long plus(long tick, long delay) {
        long sum = tick + delay;
        return tick < 0 || sum < 0 ? Long.MAX_VALUE : sum;
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }

    @Override
    public String toString() {
        return timers.length + " timers, operation " + operation + ", " + call;
    }

    private static final class Timer {
        private final int number;
        private long deadline;
        private long tick;
        private long sequence;
        private boolean postponed;

        private Timer(int number) {
            this.number = number;
        }

        @Override
        public String toString() {
            return "deadline " + deadline + ", tick " + tick + ", sequence " + sequence;
        }
    }

    private static final class HandlerFailure extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }
}
