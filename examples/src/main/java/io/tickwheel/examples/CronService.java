package io.tickwheel.examples;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerContent;
import io.tickwheel.engine.TimerDetails;
import io.tickwheel.engine.TimerPlans;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.recurrence.Recurrence;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Changed;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerView;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A service like cron: definitions say what is to run and when, are paused and go on, and are shown with their runs. Each is a recurring timer, and all of it is in the store. */
final class CronService {

    private static final String QUEUE = "cron";
    private static final int PAGE = 500;

    private final Tickwheel timers;

    /**
     * A definition, as it is shown.
     *
     * @param task what is run
     * @param next when it runs next; empty while it is paused
     * @param runs the last ones, the latest first: one that has not ended is among them
     */
    record Definition(String name, Recurrence schedule, String task, Optional<Instant> next, List<TimerView> runs) {}

    /**
     * One run of a definition.
     *
     * @param number counts the runs of a name, from 1
     */
    record Run(String name, long number, String task) {}

    /** @param start does what a run is for; called again when it fails */
    CronService(Tickwheel timers, Consumer<Run> start) {
        this.timers = timers;
        timers.handle(QUEUE, attempt -> start.accept(run(attempt)));
    }

    private static Run run(Attempt attempt) {
        return new Run(attempt.key(), attempt.run().orElse(0), attempt.text());
    }

    /**
     * Has it run from now on, in place of what had the name before.
     *
     * @param cron six fields, the first of which is the second, in UTC
     * @throws IllegalArgumentException when the name or the expression breaks a rule
     */
    CompletableFuture<?> activate(String name, String cron, String task) {
        return timers.schedule(TimerRequest.recurring(QUEUE, name, Recurrence.cron(cron, ZoneOffset.UTC))
                .withText(task));
    }

    /** Gives whether there is such a definition; nothing of it starts until it is resumed. */
    CompletableFuture<Boolean> pause(String name) {
        return timers.pausePlan(QUEUE, name).thenApply(CronService::isChanged);
    }

    /** Gives whether there is such a definition; what would have run meanwhile is left out. */
    CompletableFuture<Boolean> resume(String name) {
        return timers.resumePlan(QUEUE, name).thenApply(CronService::isChanged);
    }

    private static boolean isChanged(Changed answer) {
        return answer.outcome() == Changed.Outcome.CHANGED;
    }

    /** Gives whether there was such a definition, for a while also when it is asked again; a run that has started goes on. */
    CompletableFuture<Boolean> remove(String name) {
        return timers.cancel(QUEUE, name)
                .thenApply(answer -> answer.outcome() != Cancelled.Outcome.NOT_FOUND
                        && answer.outcome() != Cancelled.Outcome.TOO_LATE);
    }

    /** All definitions, that which runs next before the others. */
    CompletableFuture<List<Definition>> list() {
        return names(TimerQuery.of(QUEUE).withLimit(PAGE), new ArrayList<>()).thenCompose(names -> {
            CompletableFuture<List<Definition>> all = CompletableFuture.completedFuture(new ArrayList<>());
            for (String name : names) {
                all = all.thenCombine(find(name), (found, definition) -> {
                    definition.ifPresent(found::add);
                    return found;
                });
            }
            return all;
        });
    }

    /** Definitions and their runs are timers of one queue; the keys tell them apart. */
    private CompletableFuture<List<String>> names(TimerQuery query, List<String> before) {
        return timers.list(query).thenCompose(page -> {
            page.timers().stream()
                    .map(timer -> timer.key().key())
                    .filter(key -> !TimerPlans.isRunKey(key))
                    .forEach(before::add);
            return page.next() == null
                    ? CompletableFuture.completedFuture(before)
                    : names(query.withAfter(page.next()), before);
        });
    }

    private CompletableFuture<Optional<Definition>> find(String name) {
        return timers.read(QUEUE, name)
                .thenCombine(timers.preview(QUEUE, name, 1), Found::new)
                .thenCombine(timers.runs(QUEUE, name), (found, runs) -> found.definition(name, runs));
    }

    /** What was found of a definition so far. */
    private record Found(Optional<TimerDetails> details, List<Instant> next) {

        /** Empty when it has gone meanwhile. */
        Optional<Definition> definition(String name, List<TimerView> runs) {
            TimerContent content = details.map(TimerDetails::content).orElse(null);
            if (content == null || content.plan() == null) {
                return Optional.empty();
            }
            return Optional.of(new Definition(
                    name,
                    content.plan().recurrence(),
                    new String(content.payload(), StandardCharsets.UTF_8),
                    next.stream().findFirst(),
                    runs));
        }
    }
}
