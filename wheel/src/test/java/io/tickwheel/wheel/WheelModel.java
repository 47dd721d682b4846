package io.tickwheel.wheel;

import java.util.Comparator;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A wheel and beside it the truth: the scheduled nodes, sorted by tick and schedule order. Every call goes to both; any
 * difference is an {@link AssertionError}. A run is a function of the start tick and the seed.
 */
final class WheelModel {
    private static final long HOUR_OF_MILLISECONDS = 3_600_000;

    private final HierarchicalWheel<Node> wheel;
    private final SplittableRandom random;
    private final Node[] nodes;
    private final int delayBits;
    private final int slotBits;
    private final boolean smallLimits;
    private final int checkInterval;
    private final boolean handlerActs;

    private final TreeSet<Node> order =
            new TreeSet<>(Comparator.<Node>comparingLong(node -> node.tick).thenComparingLong(node -> node.sequence));
    private final TreeMap<Long, Integer> deadlines = new TreeMap<>();
    private long lastSequence;
    private long now;

    private int operation;
    private String call = "";
    private boolean handlerScheduled;

    WheelModel(long startTick, long seed) {
        random = new SplittableRandom(seed);
        wheel = new HierarchicalWheel<>(startTick);
        now = startTick;
        nodes = new Node[1 << random.nextInt(1, 10)];
        for (int i = 0; i < nodes.length; i++) {
            nodes[i] = new Node();
        }
        delayBits = random.nextInt(2, 41);
        slotBits = Level.BITS * random.nextInt(1, 5);
        smallLimits = random.nextBoolean();
        // Mostly after every call; at times less often, as to ask for the next deadline changes what is known of it.
        checkInterval = random.nextInt(3) > 0 ? 1 : random.nextInt(2, 20);
        handlerActs = random.nextInt(4) > 0;
    }

    void run(int operations) {
        for (operation = 0; operation < operations; operation++) {
            int dice = random.nextInt(100);
            if (dice < 70) {
                change(randomNode());
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
        require(order.isEmpty(), "nodes left at the end of time");
    }

    private Node randomNode() {
        return nodes[random.nextInt(nodes.length)];
    }

    private void change(Node node) {
        boolean scheduled = order.contains(node);
        require(node.isScheduled() == scheduled, "isScheduled");
        if (random.nextInt(3) == 0) {
            reschedule(node);
        } else if (scheduled) {
            cancel(node);
        } else {
            schedule(node);
        }
    }

    private void schedule(Node node) {
        long deadline = randomDeadline();
        call = "schedule " + deadline;
        wheel.schedule(node, deadline);
        add(node, deadline);
    }

    private void reschedule(Node node) {
        long deadline = randomDeadline();
        call = "reschedule " + node.deadlineTick() + " to " + deadline;
        wheel.reschedule(node, deadline);
        remove(node);
        add(node, deadline);
    }

    private void cancel(Node node) {
        call = "cancel " + node.deadlineTick();
        require(wheel.cancel(node) == remove(node), "cancel");
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
                ? nodes.length
                : random.nextInt(1, smallLimits ? 3 : nodes.length + 1);
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
            expired = wheel.advance(target, limit, node -> {
                require(++handed[0] <= limit, "limit");
                expire(node, target);
                if (acting) {
                    act(node, target);
                }
            });
        } catch (HandlerFailure e) {
            thrown = true;
        }
        call = description;
        long current = wheel.currentTick();
        require(thrown || expired == handed[0], "count returned");
        require(current >= before && current <= Math.max(target, before), "current tick " + current);
        require(order.isEmpty() || order.first().tick >= current, "current tick " + current + " passed a node");
        if (!thrown && !handlerScheduled && limit == nodes.length) {
            // Not even a node that comes down all levels, with all the others, needs more moves than this limit grants.
            require(target < before || current == target, "current tick " + current);
            require(target < before || order.isEmpty() || order.first().tick > target, "left behind");
        }
    }

    private void expire(Node node, long target) {
        require(!order.isEmpty() && order.first() == node, "order: got " + node);
        require(node.deadlineTick() <= target, "early: " + node);
        require(node.tick == wheel.currentTick(), "current tick " + wheel.currentTick() + " when expiring " + node);
        require(!node.isScheduled(), "expiring node is scheduled");
        remove(node);
        if (checkInterval == 1) {
            compare();
        }
    }

    private void act(Node expiring, long target) {
        int dice = random.nextInt(20);
        if (dice < 3) {
            handlerScheduled = true;
            change(randomNode());
        } else if (dice < 5) {
            handlerScheduled = true;
            reschedule(expiring);
        } else if (dice < 6) {
            Node victim = order.isEmpty() ? expiring : order.first();
            cancel(victim);
        } else if (dice == 6) {
            throw new HandlerFailure();
        } else if (dice == 7) {
            boolean refused = false;
            try {
                wheel.advance(target, 1, node -> {});
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
        long mostCalls = 2L * order.size() + 1;
        now = Math.max(now, wheel.currentTick());
        while (wheel.hasDue(now)) {
            require(isDue(now), "hasDue");
            advance(now, limit, false);
            compare();
            require(++calls <= mostCalls, "no progress");
        }
        require(!isDue(now), "missed");
    }

    private boolean isDue(long tick) {
        return tick >= wheel.currentTick() && !order.isEmpty() && deadlines.firstKey() <= tick;
    }

    private void compare() {
        require(wheel.size() == order.size(), "size " + wheel.size());
        require(wheel.isEmpty() == order.isEmpty(), "isEmpty");
        long next = deadlines.isEmpty() ? Long.MAX_VALUE : deadlines.firstKey();
        require(wheel.nextDeadlineTick() == next, "next deadline " + wheel.nextDeadlineTick() + ", not " + next);
        require(wheel.hasDue(now) == isDue(now), "hasDue");
    }

    private void add(Node node, long deadline) {
        require(node.isScheduled() && node.deadlineTick() == deadline, "state of the scheduled node");
        node.deadlineHere = deadline;
        node.tick = Math.max(deadline, wheel.currentTick());
        node.sequence = ++lastSequence;
        order.add(node);
        deadlines.merge(deadline, 1, Integer::sum);
    }

    private boolean remove(Node node) {
        boolean removed = order.remove(node);
        if (removed) {
            deadlines.merge(node.deadlineHere, -1, (a, b) -> a + b == 0 ? null : a + b);
        }
        return removed;
    }

    private long randomDeadline() {
        long current = wheel.currentTick();
        return switch (random.nextInt(14)) {
            case 0 -> current;
            case 1 -> Math.max(0, current - random.nextLong(1, 1_000));
            case 2, 3 -> plus(current, random.nextInt(4));
            // A tick that another node has, or nearly: order within a tick, and slots with more than one tick.
            case 4, 5 -> plus(randomNode().deadlineTick(), random.nextInt(2));
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
        return nodes.length + " nodes, operation " + operation + ", " + call;
    }

    private static final class Node extends WheelNode {
        private long tick;
        private long sequence;
        private long deadlineHere;

        @Override
        public String toString() {
            return "deadline " + deadlineTick() + ", tick " + tick + ", sequence " + sequence;
        }
    }

    private static final class HandlerFailure extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }
}
