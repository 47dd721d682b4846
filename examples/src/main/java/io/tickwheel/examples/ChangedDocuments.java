package io.tickwheel.examples;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.store.OnConflict;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A document is put into an external index once its author pauses, and not at each change: each change puts the timer off, but not beyond a longest wait, so that one who never
 * pauses is found, too.
 */
final class ChangedDocuments {

    private static final String QUEUE = "refresh-index";

    private final Tickwheel timers;
    private final Duration pause;
    private final Duration longest;

    ChangedDocuments(Tickwheel timers, Duration pause, Duration longest, Consumer<String> refresh) {
        this.timers = timers;
        this.pause = pause;
        this.longest = longest;
        timers.handle(QUEUE, attempt -> refresh.accept(attempt.key()));
    }

    CompletableFuture<?> changed(String document) {
        return timers.schedule(TimerRequest.after(QUEUE, document, pause)
                .withOnConflict(OnConflict.LATEST)
                .withMaxWait(longest));
    }
}
