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
import io.tickwheel.server.wire.FieldValues;
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
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The calls on the settings of a queue. */
final class QueueCalls {

    private static final Logger LOG = LoggerFactory.getLogger(QueueCalls.class);
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
            value = FieldValues.decimal(text);
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
            if (left > 0 && Boolean.TRUE.equals(found.get().settings().paused())) {
                purgePaused(exchange, timers, queue, options);
                return;
            }
            exchange.await(timers.forgetQueue(queue, options), forgotten -> {
                if (left == 0) {
                    exchange.answer(200, QueueJson.deleted(queue, List.of()));
                } else {
                    // Where too many runs go on, the timers are there: it can be said again.
                    answerOnceStored(exchange, queue, empty(timers, queue, Problem.Applied.UNKNOWN));
                }
            });
        });
    }

    /**
     * What is due must not be delivered while the runs are on their way to it: so the queue stays paused, with all that is set, until they are done. It stays so
     * for good when this server ends or loses its store before, or when somebody changes what is set: then a line in the log says so, unless the server was killed.
     */
    private static void purgePaused(Exchange exchange, Tickwheel timers, String queue, CommandOptions options) {
        exchange.await(timers.changeQueue(queue, QueueChange.pause(), options), paused -> {
            List<Bulk> emptying = empty(timers, queue, Problem.Applied.NO);
            CommandOptions unchanged = CommandOptions.NONE.withExpectedId(Objects.requireNonNull(paused.id()));
            var unused = CompletableFuture.allOf(
                            emptying.stream().map(Bulk::done).toArray(CompletableFuture[]::new))
                    .thenCompose(ended -> areDone(emptying)
                            ? timers.forgetQueue(queue, unchanged)
                            : CompletableFuture.completedFuture(false))
                    .whenComplete((forgotten, failure) -> {
                        if (!Boolean.TRUE.equals(forgotten)) {
                            LOG.warn(
                                    "queue {} stays paused, although it was to be purged and deleted: {}; delete it again",
                                    queue,
                                    failure == null ? "its bulk runs are " + states(emptying) : failure.getMessage());
                        }
                    });
            answerOnceStored(exchange, queue, emptying);
        });
    }

    private static List<BulkProgress.State> states(List<Bulk> runs) {
        return runs.stream().map(run -> run.progress().state()).toList();
    }

    private static boolean areDone(List<Bulk> runs) {
        return states(runs).stream().allMatch(state -> state == BulkProgress.State.DONE);
    }

    private static void answerOnceStored(Exchange exchange, String queue, List<Bulk> emptying) {
        exchange.await(stored(emptying), stored -> exchange.answer(202, QueueJson.deleted(queue, emptying)));
    }

    /** @param applied whether something was done already, for whom it is refused as too many runs go on */
    private static List<Bulk> empty(Tickwheel timers, String queue, Problem.Applied applied) {
        TimerQuery all = TimerQuery.of(queue);
        List<Bulk> begun = new ArrayList<>();
        try {
            begun.add(timers.start(BulkRequest.cancel(all)));
            begun.add(timers.start(BulkRequest.purge(all)));
            return begun;
        } catch (IllegalStateException e) {
            begun.forEach(Bulk::stop);
            throw BulkCalls.tooMany(timers, e).withApplied(applied).exception();
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
