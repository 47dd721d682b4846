package io.tickwheel.wheel;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Timeouts by key, at most one pending for each: the timeout of an order, of a session, of an idle connection. Several may
 * share one {@link WheelTimer}. Thread-safe; every operation on a key is O(1). A key is forgotten when its timeout starts,
 * fails or is cancelled, so what is in here is what is pending, or due and not yet started.
 *
 * @param <K> with equals and hashCode that do not change
 */
public final class KeyedTimer<K> {
    /*
     * The map's lock of a key comes before a stripe's lock, never the other way round: a replacement is made inside the
     * map's compute, and an entry is removed, by whoever ended its timeout, when no stripe is locked. A task that starts
     * removes its own entry first; there it waits for a replacement under way, which has come too late for it.
     *
     * The map is left in order by an error that is thrown out of a function it calls, not by one that its own steps run into at the end
     * of the stack: an empty place would stay reserved for ever. So there is a look at the stack before.
     */
    static {
        rehearse();
    }

    private final WheelTimer timer;
    private final ConcurrentHashMap<K, Keyed<K>> timeouts = new ConcurrentHashMap<>();

    /** Makes an empty one. Closing the timer stays with the caller, and empties this too. */
    public KeyedTimer(WheelTimer timer) {
        this.timer = Objects.requireNonNull(timer, "timer");
    }

    /**
     * Runs a task once, {@code delay} from now, in place of what was scheduled for the key. Atomic: at no moment is the key
     * without a timeout, and what was replaced does not start any more, unless it had started before.
     *
     * @return the new timeout
     * @throws RejectedExecutionException if the timer is closed, has failed, or has too many pending timeouts; the old timeout
     *     stays. One that waits for its deadline leaves its place among them to the new one, so that it is replaced at the limit too
     */
    public Timeout schedule(K key, Runnable task, Duration delay) {
        return schedule(newNode(key, task, delay), true);
    }

    /**
     * Runs a task once, {@code delay} from now, unless something is scheduled for the key.
     *
     * @return the timeout of the key: the new one, or the one that was there
     * @throws RejectedExecutionException as {@link #schedule} does
     */
    public Timeout scheduleIfAbsent(K key, Runnable task, Duration delay) {
        Keyed<K> present = timeouts.get(key);
        // Most often it is there, and then it needs no place among the pending.
        return present != null && present.isPending() ? present : schedule(newNode(key, task, delay), false);
    }

    private Keyed<K> newNode(K key, Runnable task, Duration delay) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(task, "task");
        return new Keyed<>(timer.stripe(), task, this, key, Durations.nanos(delay));
    }

    private Keyed<K> schedule(Keyed<K> node, boolean replace) {
        StackReserve.touchForSteps();
        if (!timer.admitNow()) {
            if (replace && takePlaceOfOld(node)) {
                return node;
            }
            timer.admit();
        }
        Keyed<K> current = null;
        try {
            current = timeouts.compute(node.key, (key, old) -> {
                if (old != null && !replace && old.isPending()) {
                    return old;
                }
                timer.startAdmitted(node, node.delayNanos);
                if (old != null) {
                    old.stripe.cancel(old);
                }
                return node;
            });
        } finally {
            if (current != node) {
                timer.dismiss();
            }
        }
        return current;
    }

    /**
     * Starts a timeout in the place, among those that may be pending, of the one it replaces; false if there is none. The new one starts
     * first, so that the old one stays if it cannot, and is over the limit until the old one has left.
     */
    private boolean takePlaceOfOld(Keyed<K> node) {
        Keyed<K> current = timeouts.computeIfPresent(node.key, (key, old) -> {
            if (!old.stripe.holds(old)) {
                return old;
            }
            timer.startAdmitted(node, node.delayNanos);
            if (old.stripe.cancelLeavingPlace(old) || timer.admitNow()) {
                return node;
            }
            // The old one has expired meanwhile, and its place is another's already.
            if (node.stripe.cancelLeavingPlace(node)) {
                return old;
            }
            // The new one too has expired, and given back a place that it did not have.
            timer.admitBeyondLimit();
            return node;
        });
        return current == node;
    }

    /**
     * Cancels what is scheduled for a key.
     *
     * @return true if this call is why its task will not start; false if there was nothing, or it has started
     */
    public boolean cancel(K key) {
        return decide(key, TimerNode::cancel);
    }

    /**
     * Begins the delay of a key's timeout anew, the delay that it was scheduled with: a sign of life. The timeout is found
     * and its deadline written, and that is all: it stays where it waits.
     *
     * @return false if nothing is scheduled for the key, or it has expired
     */
    public boolean touch(K key) {
        return decide(key, node -> node.stripe.reschedule(node, node.delayNanos));
    }

    /** Asks the timeout of a key, and if it has ended the one that replaces it. */
    private boolean decide(K key, Predicate<Keyed<K>> question) {
        StackReserve.touchForSteps();
        Keyed<K> node = timeouts.get(key);
        while (node != null) {
            if (question.test(node)) {
                return true;
            }
            node = successorOf(node);
        }
        return false;
    }

    /** Returns what has replaced a timeout that has ended, if anything. Waits for a replacement that is under way. */
    private @Nullable Keyed<K> successorOf(Keyed<K> ended) {
        Keyed<K> current = timeouts.computeIfPresent(ended.key, (key, node) -> node);
        return current == ended ? null : current;
    }

    /** Returns the timeout of a key, to be cancelled or rescheduled whatever comes in its place. */
    public Optional<Timeout> get(K key) {
        Keyed<K> node = timeouts.get(key);
        return Optional.ofNullable(node == null || node.isPending() ? node : successorOf(node));
    }

    /** Returns how many keys there are, as a weakly consistent count. */
    public long size() {
        return timeouts.mappingCount();
    }

    /** Passes every key and its timeout, weakly consistent: what comes or goes meanwhile may be missed. */
    public void forEach(BiConsumer<? super K, ? super Timeout> action) {
        timeouts.forEach(action);
    }

    /** Cancels everything that is scheduled when the call begins, and what comes in meanwhile perhaps. */
    public void cancelAll() {
        timeouts.keySet().forEach(this::cancel);
    }

    /** As {@link Rehearsal} does for the calls of a timer. */
    private static void rehearse() {
        ExpiryDriver none = new ExpiryDriver() {
            @Override
            public void start(Expiry expiry) {}

            @Override
            public void wake(Expiry expiry) {}
        };
        WheelTimer timer =
                WheelTimer.builder().clock(() -> 0).driver(none).maxPending(1).build();
        KeyedTimer<Integer> keyed = new KeyedTimer<>(timer);
        keyed.schedule(0, () -> {}, Duration.ofMillis(1));
        keyed.schedule(0, () -> {}, Duration.ofMillis(1));
        keyed.scheduleIfAbsent(0, () -> {}, Duration.ofMillis(1));
        keyed.touch(0);
        keyed.cancel(0);
        timer.close();
    }

    void forget(Keyed<K> node) {
        timeouts.remove(node.key, node);
    }
}
