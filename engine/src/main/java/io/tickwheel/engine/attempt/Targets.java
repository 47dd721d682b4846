package io.tickwheel.engine.attempt;

import io.tickwheel.engine.Destination;
import io.tickwheel.engine.Target;
import io.tickwheel.engine.bulk.BulkBook;
import io.tickwheel.engine.inbox.EngineOptions;

/** Gives attempts to their targets: those that a program has named, its handlers, and bulk runs. Owned by the loop. */
public final class Targets {

    private final EngineOptions options;
    private final HandlerTarget handlers;
    private final Target bulks;

    public Targets(EngineOptions options, HandlerTarget handlers, Target bulks) {
        this.options = options;
        this.handlers = handlers;
        this.bulks = bulks;
    }

    public void deliver(InFlight attempt, Destination destination) {
        String name = destination.target();
        Target named =
                name.equals(Destination.HANDLER) ? handlers : options.targets().get(name);
        Target target = BulkBook.isOne(attempt.attempt().timer()) ? bulks : named;
        options.listener().started(attempt.attempt());
        if (target == null) {
            attempt.fail("there is no target named " + destination.target());
            return;
        }
        try {
            target.deliver(attempt.attempt(), attempt);
        } catch (RuntimeException | Error e) {
            // Whatever a target does, the loop goes on; an attempt that could not be handed over has failed.
            attempt.fail(e.toString());
        }
    }
}
