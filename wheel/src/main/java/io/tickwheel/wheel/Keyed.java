package io.tickwheel.wheel;

/** The timeout of a key. Whatever ends it takes it out of the map, before the task runs. */
final class Keyed<K> extends TimerNode {
    final K key;
    final long delayNanos;
    private final KeyedTimer<K> owner;

    Keyed(Stripe stripe, Runnable task, KeyedTimer<K> owner, K key, long delayNanos) {
        super(stripe, task);
        this.owner = owner;
        this.key = key;
        this.delayNanos = delayNanos;
    }

    @Override
    void runTask(Runnable claimed) {
        owner.forget(this);
        try {
            claimed.run();
        } catch (Throwable thrown) {
            stripe.core.taskFailed(this, thrown);
        }
    }

    @Override
    void onCancelled() {
        owner.forget(this);
    }

    @Override
    void onRejected(Runnable rejected, Throwable cause) {
        owner.forget(this);
        super.onRejected(rejected, cause);
    }
}
