package io.tickwheel.server.http;

import io.tickwheel.engine.Bulk;
import io.tickwheel.engine.BulkProgress;
import io.tickwheel.engine.BulkRequest;
import io.tickwheel.engine.CommandOptions;
import io.tickwheel.engine.QueueChange;
import io.tickwheel.engine.QueueView;
import io.tickwheel.engine.RateLimit;
import io.tickwheel.engine.SlowStart;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.server.wire.Excerpt;
import io.tickwheel.server.wire.Problem;
import io.tickwheel.server.wire.ProblemCode;
import io.tickwheel.server.wire.QueueFields;
import io.tickwheel.server.wire.QueueJson;
import io.tickwheel.server.wire.TargetKinds;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.TimerQuery;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The calls on the settings of a queue. */
final class QueueCalls {

    private static final String SLOW_START = "slowStart";
    private static final Set<String> RESUME = Set.of(SLOW_START);
    private static final String PURGE = "purge";
    private static final Set<String> DELETE = Set.of(PURGE);

    private final Readiness readiness;
    private final TargetKinds kinds;

    QueueCalls(Readiness readiness, TargetKinds kinds) {
        this.readiness = readiness;
        this.kinds = kinds;
    }

    void find(Exchange exchange, String queue) {
        Tickwheel timers = readiness.timers();
        exchange.await(TimerCalls.named(queue, "", () -> timers.queue(queue)), found -> {
            if (found.isEmpty()) {
                exchange.refuse(unknown(queue));
            } else {
                answer(exchange, found.get());
            }
        });
    }

    private static Problem unknown(String queue) {
        return new Problem(
                ProblemCode.UNKNOWN_QUEUE,
                "queue " + Excerpt.quoted(queue) + " has had no timer since the start, and nothing is set of it");
    }

    private void answer(Exchange exchange, QueueView view) {
        if (view.id() != null) {
            IfMatch.tag(exchange, view.id());
        }
        exchange.answer(200, QueueJson.of(view, kinds));
    }

    /** @param replaces whether what the body does not say is not set any more */
    void change(Exchange exchange, String queue, byte[] body, boolean replaces) {
        change(exchange, queue, QueueFields.read(body, replaces, kinds));
    }

    void pause(Exchange exchange, String queue) {
        change(exchange, queue, QueueChange.pause());
    }

    void resume(Exchange exchange, String queue, String query) {
        QueryParameters parameters = QueryParameters.read(query, RESUME);
        String text = parameters.get(SLOW_START);
        change(
                exchange,
                queue,
                text == null ? QueueChange.resume() : QueueChange.resume(SlowStart.of(perSecond(parameters, text))));
    }

    private static double perSecond(QueryParameters parameters, String text) {
        String rule = "must be attempts a second, " + RateLimit.LEAST + " to " + RateLimit.MOST;
        double value;
        try {
            value = Double.parseDouble(text);
        } catch (NumberFormatException e) {
            throw parameters.refused(ProblemCode.OUT_OF_RANGE, SLOW_START, rule);
        }
        // Written so that NaN is refused too.
        if (!(value >= RateLimit.LEAST && value <= RateLimit.MOST)) {
            throw parameters.refused(ProblemCode.OUT_OF_RANGE, SLOW_START, rule);
        }
        return value;
    }

    private void change(Exchange exchange, String queue, QueueChange change) {
        CommandOptions options = IfMatch.options(exchange.request());
        Tickwheel timers = readiness.timers();
        CompletableFuture<QueueView> answer =
                TimerCalls.named(queue, "", () -> timers.changeQueue(queue, change, options));
        exchange.await(answer, view -> answer(exchange, view));
    }

    /** Deletes what is set of a queue that has no timers; or also of one that has, and begins to purge these. */
    void delete(Exchange exchange, String queue, String query) {
        boolean purges = QueryParameters.read(query, DELETE).flag(PURGE);
        CommandOptions options = IfMatch.options(exchange.request());
        Tickwheel timers = readiness.timers();
        exchange.await(TimerCalls.named(queue, "", () -> timers.queue(queue)), found -> {
            if (found.isEmpty()) {
                exchange.refuse(unknown(queue));
                return;
            }
            QueueCounts counts = found.get().counts();
            long left = counts.pending() + counts.claimed() + counts.dead();
            if (left > 0 && !purges) {
                exchange.refuse(new Problem(
                                ProblemCode.QUEUE_NOT_EMPTY,
                                "queue " + queue + " has " + left
                                        + " timers, must have none to be deleted, or purge=true must be said")
                        .withApplied(Problem.Applied.NO));
                return;
            }
            exchange.await(timers.forgetQueue(queue, options), forgotten -> {
                List<Bulk> emptying = left == 0 ? List.of() : empty(timers, queue);
                exchange.await(
                        stored(emptying),
                        stored -> exchange.answer(emptying.isEmpty() ? 200 : 202, QueueJson.deleted(queue, emptying)));
            });
        });
    }

    /** Where too many runs go on, the settings are deleted all the same, and the timers are there: it can be said again. */
    private static List<Bulk> empty(Tickwheel timers, String queue) {
        TimerQuery all = TimerQuery.of(queue);
        List<Bulk> begun = new ArrayList<>();
        try {
            begun.add(timers.start(BulkRequest.cancel(all)));
            begun.add(timers.start(BulkRequest.purge(all)));
            return begun;
        } catch (IllegalStateException e) {
            begun.forEach(Bulk::stop);
            throw BulkCalls.tooMany(timers, e)
                    .withApplied(Problem.Applied.UNKNOWN)
                    .exception();
        }
    }

    /** Completes when all of them outlive the server; fails when one has failed before. */
    private static CompletableFuture<Void> stored(List<Bulk> runs) {
        return CompletableFuture.allOf(runs.stream().map(Bulk::accepted).toArray(CompletableFuture[]::new))
                .thenRun(() -> runs.forEach(run -> {
                    BulkProgress progress = run.progress();
                    if (progress.state() == BulkProgress.State.FAILED) {
                        throw new StoreUnavailableException(String.valueOf(progress.failure()), true);
                    }
                }));
    }
}
