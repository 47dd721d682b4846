package io.tickwheel.server.http;

import io.tickwheel.engine.Bulk;
import io.tickwheel.engine.BulkRequest;
import io.tickwheel.engine.BulkView;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.server.wire.BulkJson;
import io.tickwheel.server.wire.Excerpt;
import io.tickwheel.server.wire.Problem;
import io.tickwheel.server.wire.ProblemCode;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** The calls that change or count many timers of a queue. */
final class BulkCalls {

    private static final Set<String> BULK =
            Set.of("state", "keyPrefix", "dueFrom", "dueTo", "reason", "perSecond", "dryRun");
    private static final Set<String> DEAD = Set.of("keyPrefix", "dueFrom", "dueTo");

    private final Readiness readiness;

    BulkCalls(Readiness readiness) {
        this.readiness = readiness;
    }

    void start(Exchange exchange, BulkRequest.Action action, String queue, String query) {
        QueryParameters parameters = QueryParameters.read(query, BULK);
        TimerQuery timers = ListCalls.timerQuery(queue, parameters);
        String reason = parameters.get("reason");
        boolean isForDead = action != BulkRequest.Action.CANCEL;
        TimerState state = timers.state();
        if (state != null && (state == TimerState.DEAD) != isForDead) {
            throw parameters.refused(
                    ProblemCode.INVALID_CHOICE,
                    "state",
                    isForDead ? "must be DEAD" : "must be PENDING or CLAIMED to be cancelled");
        }
        int perSecond = parameters.number("perSecond", 1, BulkRequest.MOST_PER_SECOND, BulkRequest.DEFAULT_PER_SECOND);
        BulkRequest request =
                new BulkRequest(action, timers, reason == null ? "" : reason, perSecond, parameters.flag("dryRun"));
        Bulk bulk = unlessTooMany(queue, timers, engine -> engine.start(request));
        exchange.await(bulk.accepted(), accepted -> {
            exchange.makes(bulk.id());
            exchange.request().response().headers().set("Location", "/v1/bulk/" + bulk.id());
            exchange.answer(202, BulkJson.of(bulk.view()));
        });
    }

    private <T> T unlessTooMany(String queue, TimerQuery timers, Function<Tickwheel, T> call) {
        Tickwheel engine = readiness.timers();
        try {
            return TimerCalls.named(queue, timers.keyPrefix(), () -> call.apply(engine));
        } catch (IllegalStateException e) {
            throw tooMany(engine, e).withApplied(Problem.Applied.NO).exception();
        }
    }

    /** Of a run that was not begun as too many go on; an engine that has stopped has refused it for that. */
    static Problem tooMany(Tickwheel engine, IllegalStateException refusal) {
        if (!engine.isRunning()) {
            throw refusal;
        }
        return new Problem(ProblemCode.TOO_MANY_BULK_RUNS, Excerpt.sentence(String.valueOf(refusal.getMessage())));
    }

    /** Why the dead timers of a queue died, and how many for each reason. */
    void dead(Exchange exchange, String queue, String query) {
        TimerQuery timers = ListCalls.timerQuery(queue, QueryParameters.read(query, DEAD));
        exchange.await(
                unlessTooMany(queue, timers, engine -> engine.countDead(timers)),
                counts -> exchange.answer(200, BulkJson.dead(queue, counts)));
    }

    void all(Exchange exchange) {
        exchange.await(readiness.timers().bulkRuns(), runs -> {
            List<BulkView> seen =
                    runs.stream().filter(run -> isSeen(exchange, run)).toList();
            exchange.answer(200, BulkJson.all(seen));
        });
    }

    private static boolean isSeen(Exchange exchange, BulkView run) {
        return exchange.caller().sees(run.request().timers().queue());
    }

    void find(Exchange exchange, String id) {
        exchange.await(readiness.timers().bulkRun(id), found -> answer(exchange, 200, id, seen(exchange, found)));
    }

    /** One of a queue that does not exist for the caller is one that does not exist. */
    private static Optional<BulkView> seen(Exchange exchange, Optional<BulkView> found) {
        return found.filter(run -> isSeen(exchange, run));
    }

    void stop(Exchange exchange, String id) {
        Tickwheel timers = readiness.timers();
        exchange.await(timers.bulkRun(id), found -> {
            if (seen(exchange, found).isEmpty()) {
                answer(exchange, 202, id, Optional.empty());
            } else {
                exchange.await(timers.stopBulkRun(id), stopped -> answer(exchange, 202, id, stopped));
            }
        });
    }

    private static void answer(Exchange exchange, int status, String id, Optional<BulkView> found) {
        if (found.isPresent()) {
            exchange.answer(status, BulkJson.of(found.get()));
        } else {
            exchange.refuse(new Problem(
                    ProblemCode.UNKNOWN_BULK_RUN,
                    "no bulk run has the id " + Excerpt.quoted(id) + "; of those that have ended the last "
                            + Bulk.MOST_REMEMBERED + " are remembered, for a week"));
        }
    }
}
