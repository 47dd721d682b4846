package io.tickwheel.engine.tests;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.EngineListener;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Threads;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.NodeMail;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.TimerStore;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.IntToLongFunction;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Engines on one simulated clock and scheduler, each with a calendar of its own, as if it owned some of the partitions, and mail between them, which a test can lose.
 */
final class MailedNodes {

    /** Where the first letter of a mail begins, if it is a first piece. */
    private static final int HEAD_BYTES = 18;

    /** How many bytes a node may have on their way, as on Redis. */
    private static final int MOST_BYTES_SENT = 24 << 20;

    /** More than that, as on a large heap. */
    private static final int ATTEMPT_BYTES = 24 << 20;

    final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    final ManualThreads threads;
    final List<Node> nodes = new ArrayList<>();
    private final SplittableRandom random;

    /** Which mail is lost. */
    Loss loss = (from, to, kind) -> false;

    /** Whether stores say so when mail is lost. */
    boolean tellsOfLoss;

    /** How often each mail comes that is not lost. */
    int copies = 1;

    /** What handlers are to do, when a test has it done; null when they do it at once. */
    @Nullable
    ArrayDeque<Runnable> tasks;

    /** Who completes what programs wait for, when a test has it done later; null when it is done at once. */
    @Nullable
    ArrayDeque<Runnable> answers;

    /** How long the stores take to answer a claim. */
    Duration claimsTake = Duration.ZERO;

    /** How long mail is on its way, in milliseconds, by the kind of its first letter. */
    IntToLongFunction mailTakesMs = kind -> 0;

    /** How long nodes that start from now on wait at a close. */
    Duration drainTimeout = Duration.ofSeconds(30);

    /** How many mails were sent. */
    int mails;

    /** Why attempts were put off, in the order in which listeners were told. */
    final List<String> postponed = new ArrayList<>();

    /** What happens when a node has read mail of a kind, and not yet done what it says. */
    ObjIntConsumer<Node> whenRead = (node, kind) -> {};

    /** Says whether mail is lost, by the kind of its first letter. */
    interface Loss {

        boolean loses(Node from, Node to, int kind);
    }

    MailedNodes(long seed, int count) {
        random = new SplittableRandom(seed);
        threads = new ManualThreads(clock, random.split());
        for (int i = 0; i < count; i++) {
            start();
        }
    }

    /** Starts one more node. */
    Node start() {
        Node node = new Node(random.nextLong());
        nodes.add(node);
        tellWhoIsAlive();
        node.open();
        threads.runUntilIdle();
        return node;
    }

    Node node(int index) {
        return nodes.get(index);
    }

    /** The answer to a command, with all that happens until it is there, in no time. */
    <T> T join(CompletableFuture<T> answer) {
        threads.runUntilIdle();
        if (!answer.isDone()) {
            throw new AssertionError("a command is not answered");
        }
        return answer.join();
    }

    private void tellWhoIsAlive() {
        List<Node> alive = nodes.stream().filter(node -> node.isListed).toList();
        for (Node node : alive) {
            node.others = alive.stream()
                    .filter(other -> other != node)
                    .map(other -> other.self)
                    .toList();
            node.wake();
        }
    }

    /** What is on its way from a node. That knows nothing of it any more when it has been read, or waits for a node that stands still. */
    private static final class Mail {

        final Node from;
        final byte[] bytes;
        final long dueNanos;
        private boolean hasArrived;

        Mail(Node from, byte[] bytes, long dueNanos) {
            this.from = from;
            this.bytes = bytes;
            this.dueNanos = dueNanos;
            from.sentBytes += bytes.length;
        }

        void arrived() {
            from.sentBytes -= hasArrived ? 0 : bytes.length;
            hasArrived = true;
        }
    }

    /** A claim that is not answered yet. */
    private record SlowClaim(long dueNanos, Runnable answer) {}

    /** One engine, with its timers. */
    final class Node implements TimerStore, NodeMail, Threads {

        private final long self;
        private final MemoryTimerStore timers = new MemoryTimerStore();
        private final ArrayDeque<Mail> box = new ArrayDeque<>();
        private final ArrayDeque<SlowClaim> claims = new ArrayDeque<>();

        /** Whom mail has not reached, which is not said yet. */
        private final ArrayDeque<Long> missed = new ArrayDeque<>();

        private List<Long> others = List.of();
        private boolean isAlive = true;
        private boolean isListed = true;
        private boolean standsStill;
        private boolean storeIsBroken;
        private @Nullable Reader reader;
        private @Nullable StoreContext context;
        private @Nullable Tickwheel engine;

        /** The bytes that this node has on their way. */
        private int sentBytes;

        Node(long self) {
            this.self = self;
        }

        private void open() {
            engine = Tickwheel.builder(this)
                    .clock(clock)
                    .threads(this)
                    .random(random.split()::nextLong)
                    .attemptBytes(ATTEMPT_BYTES)
                    .drainTimeout(drainTimeout)
                    .answers(this::answer)
                    .retry(RetryPolicy.fixed(50, Duration.ofSeconds(7)))
                    .listener(new EngineListener() {
                        @Override
                        public void postponed(Attempt attempt, Instant until, String reason) {
                            postponed.add(reason);
                        }

                        @Override
                        public void stopped(Throwable cause) {
                            if (!storeIsBroken) {
                                throw new AssertionError("an engine stopped", cause);
                            }
                        }
                    })
                    .open();
        }

        Tickwheel engine() {
            if (engine == null) {
                throw new AssertionError("the node is not open");
            }
            return engine;
        }

        /** Ends its process; the others do not know yet. */
        void kill() {
            isAlive = false;
            box.forEach(Mail::arrived);
            box.clear();
        }

        /** Has its store fail in its next turn. */
        void breakStore() {
            storeIsBroken = true;
            wake();
        }

        /** Ends its process, and has the others notice. */
        void die() {
            kill();
            isListed = false;
            tellWhoIsAlive();
        }

        /** Stops its process, which the others do not notice. */
        void standStill() {
            standsStill = true;
            box.forEach(Mail::arrived);
        }

        boolean standsStill() {
            return standsStill;
        }

        /** Has its process go on, when it has stood still. */
        void goOn() {
            standsStill = false;
            wake();
        }

        /** Takes another for dead for a moment, and is not taken for dead by it. */
        void misses(Node other) {
            others = others.stream().filter(each -> each != other.self).toList();
            wake();
            threads.runUntilIdle();
            tellWhoIsAlive();
            threads.runUntilIdle();
        }

        private void answer(Runnable task) {
            ArrayDeque<Runnable> kept = answers;
            if (kept == null) {
                threads.serial("answers").execute(task);
            } else {
                kept.add(task);
            }
        }

        private void wake() {
            if (context != null) {
                context.waker().run();
            }
        }

        // ---- its store

        @Override
        public Calendar open(StoreContext given, CalendarListener listener) {
            context = given;
            Calendar calendar = timers.open(given, listener);
            return (Calendar) Proxy.newProxyInstance(
                    Calendar.class.getClassLoader(), new Class<?>[] {Calendar.class}, (proxy, method, arguments) -> {
                        switch (method.getName()) {
                            case "mail" -> {
                                return this;
                            }
                            case "isShared" -> {
                                return true;
                            }
                            case "work" -> {
                                if (storeIsBroken) {
                                    throw new StoreFailedException("planted", false, new IllegalStateException("disk"));
                                }
                                deliver();
                                answerClaims();
                            }
                            case "claim" -> {
                                calendar.claim((PendingTimer) arguments[0], slowed(arguments[1]));
                                return null;
                            }
                            default -> {}
                        }
                        try {
                            Object result = method.invoke(calendar, arguments);
                            return method.getName().equals("idleNanos")
                                    ? Math.min((Long) result, Math.min(nanosToClaim(), nanosToMail()))
                                    : result;
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }

        @SuppressWarnings("unchecked")
        private Consumer<ClaimedTimer> slowed(Object granted) {
            Consumer<ClaimedTimer> answer = (Consumer<ClaimedTimer>) granted;
            if (claimsTake.isZero()) {
                return answer;
            }
            return claimed ->
                    claims.add(new SlowClaim(clock.monoNanos() + claimsTake.toNanos(), () -> answer.accept(claimed)));
        }

        private void answerClaims() {
            while (nanosToClaim() <= 0) {
                claims.remove().answer.run();
            }
        }

        private long nanosToClaim() {
            return claims.isEmpty() ? Long.MAX_VALUE : claims.element().dueNanos - clock.monoNanos();
        }

        private void deliver() {
            for (Long to = missed.poll(); to != null && reader != null; to = missed.poll()) {
                reader.notArrived(to);
            }
            while (nanosToMail() <= 0 && reader != null) {
                Mail mail = box.remove();
                mail.arrived();
                reader.read(mail.bytes);
                whenRead.accept(this, mail.bytes[HEAD_BYTES]);
            }
        }

        /** It comes in the order in which it was sent. */
        private long nanosToMail() {
            return box.isEmpty() ? Long.MAX_VALUE : Math.max(0, box.element().dueNanos - clock.monoNanos());
        }

        // ---- its mail

        @Override
        public long self() {
            return self;
        }

        @Override
        public List<Long> others() {
            return others;
        }

        @Override
        public void start(Reader whoReads) {
            reader = whoReads;
        }

        @Override
        public boolean send(long to, byte[] mail) {
            if (sentBytes + mail.length > MOST_BYTES_SENT) {
                return false;
            }
            mails++;
            for (Node node : nodes) {
                if (node.self != to || !node.isAlive) {
                    continue;
                }
                if (!loss.loses(this, node, mail[HEAD_BYTES])) {
                    long dueNanos = clock.monoNanos() + mailTakesMs.applyAsLong(mail[HEAD_BYTES]) * 1_000_000;
                    for (int i = 0; i < copies; i++) {
                        node.box.add(new Mail(this, mail, dueNanos));
                    }
                    if (node.standsStill) {
                        node.box.forEach(Mail::arrived);
                    }
                    node.wake();
                } else if (tellsOfLoss) {
                    missed.add(to);
                    wake();
                }
            }
            return true;
        }

        // ---- its threads

        @Override
        public Executor serial(String name) {
            Executor executor = threads.serial(name);
            return task -> executor.execute(() -> {
                if (isAlive) {
                    task.run();
                }
            });
        }

        @Override
        public Executor readers() {
            return Runnable::run;
        }

        @Override
        public Executor handlers() {
            Executor handlers = threads.handlers();
            return task -> {
                ArrayDeque<Runnable> kept = tasks;
                if (kept == null) {
                    handlers.execute(task);
                } else {
                    kept.add(task);
                }
            };
        }

        @Override
        public Running run(String name, Loop loop) {
            return threads.run(name, () -> {
                if (standsStill) {
                    return Long.MAX_VALUE;
                }
                return isAlive ? loop.turn() : Loop.DONE;
            });
        }

        @Override
        public void close() {}
    }
}
