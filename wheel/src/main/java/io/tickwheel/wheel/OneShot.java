package io.tickwheel.wheel;

/** A timeout that expires once. */
final class OneShot extends TimerNode {
    OneShot(Stripe stripe, Runnable task) {
        super(stripe, task);
    }

    @Override
    @SuppressWarnings("CatchAndPrintStackTrace")
    void runTask(Runnable claimed) {
        try {
            claimed.run();
        } catch (Throwable thrown) {
            stripe.core.taskFailed(this, thrown);
        }
    }
}
