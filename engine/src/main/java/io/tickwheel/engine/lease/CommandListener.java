package io.tickwheel.engine.lease;

import io.tickwheel.engine.EngineListener;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Changed;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreFullException;

/** Told what became of commands: tells the leases of cancels, and the listener of all. Owned by the loop. */
public final class CommandListener implements EngineListener {

    private final EngineListener listener;
    private final Leases leases;

    public CommandListener(EngineListener listener, Leases leases) {
        this.listener = listener;
        this.leases = leases;
    }

    @Override
    public void scheduled(Scheduled scheduled) {
        listener.scheduled(scheduled);
    }

    @Override
    public void refused(StoreFullException refusal) {
        listener.refused(refusal);
    }

    @Override
    public void cancelled(Cancelled cancelled) {
        leases.cancelled(cancelled);
        listener.cancelled(cancelled);
    }

    @Override
    public void changed(Changed changed) {
        listener.changed(changed);
    }
}
