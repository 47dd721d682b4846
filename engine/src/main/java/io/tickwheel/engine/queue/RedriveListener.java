package io.tickwheel.engine.queue;

import io.tickwheel.engine.EngineListener;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Changed;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;

/** Told what became of redrives, purges and cancels: has what is redriven count in the quota of its queue, and tells the listener of all. Owned by the loop. */
public final class RedriveListener implements EngineListener {

    private final EngineListener listener;
    private final QueueQuotas quotas;

    public RedriveListener(EngineListener listener, QueueQuotas quotas) {
        this.listener = listener;
        this.quotas = quotas;
    }

    @Override
    public void cancelled(Cancelled cancelled) {
        listener.cancelled(cancelled);
    }

    @Override
    public void changed(Changed changed) {
        TimerView timer = changed.timer();
        if (changed.outcome() == Changed.Outcome.CHANGED && timer != null && timer.state() == TimerState.PENDING) {
            quotas.made(timer.key().queue());
        }
        listener.changed(changed);
    }
}
