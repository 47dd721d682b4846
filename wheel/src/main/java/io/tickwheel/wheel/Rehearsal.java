package io.tickwheel.wheel;

/**
 * Does once what the calls of a timer do, so that what they need is loaded, initialised and linked before the first of them comes. A
 * class whose initialisation meets the end of the stack can never be used again.
 */
final class Rehearsal {
    private static final long MS = 1_000_000;

    private Rehearsal() {}

    /** A timer without an expiry. */
    private enum Nobody implements Lifecycle {
        INSTANCE;

        @Override
        public void wake() {}

        @Override
        public void noteIdle() {}

        @Override
        public void fail(Throwable cause) {}

        @Override
        public boolean isTerminated() {
            return true;
        }
    }

    static void run() {
        TimerSettings settings = new TimerSettings(
                "rehearsal",
                () -> 0,
                MS,
                1,
                null,
                RejectionPolicy.FAIL,
                LoggingListener.ANY,
                0,
                1,
                0,
                new ExpiryThread(task -> {
                    throw new AssertionError(task);
                }));
        Stripe stripe = new Stripe(new TimerCore(settings, Nobody.INSTANCE));
        TimerNode[] batch = new TimerNode[1];
        for (TimerNode node : new TimerNode[] {
            new OneShot(stripe, () -> {}), new Periodic(stripe, () -> {}, Periodic.Rule.FIXED_DELAY, MS, MS)
        }) {
            stripe.schedule(node, 1_000_000, 0);
            stripe.reschedule(node, 300 * MS);
            stripe.reschedule(node, 300 * MS);
            stripe.expire(300, batch);
            node.run();
            batch[0] = null;
            node.state();
            node.cancel();
            stripe.cancel(node);
        }
        stripe.guarded(() -> stripe.scheduleNew(new OneShot(stripe, () -> {}), 1_000_000, 0));
        stripe.totals();
        StackReserve.touchForSteps();
    }
}
