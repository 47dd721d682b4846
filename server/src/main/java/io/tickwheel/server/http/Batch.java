package io.tickwheel.server.http;

import io.tickwheel.engine.CommandOptions;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.server.access.Scope;
import io.tickwheel.server.audit.AuditCount;
import io.tickwheel.server.wire.JsonOut;
import io.tickwheel.server.wire.Problem;
import io.tickwheel.server.wire.ProblemCode;
import io.tickwheel.server.wire.ScheduleBody;
import io.tickwheel.server.wire.ShownTimer;
import io.tickwheel.server.wire.TimerJson;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Changed;
import io.tickwheel.store.Durability;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.TimerView;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One {@code timers:batch} call: a command a line, a result a line, in the order of the lines. The lines are independent:
 * bad ones are answered as such and the others are carried out. At most {@link #LINES_PER_TURN} lines are read in one turn
 * of the event loop, so that other connections are served in between.
 */
final class Batch {

    private static final int LINES_PER_TURN = 500;
    private static final CharSequence NDJSON = HttpHeaders.createOptimized("application/x-ndjson");

    private final Exchange exchange;
    private final Tickwheel timers;
    private final Failures failures;
    private final TimerCalls calls;
    private final String queue;
    private final byte[] body;
    private final List<Line> lines;
    private final Map<String, String> trace;
    private int next;
    private int unanswered;

    Batch(Exchange exchange, Tickwheel timers, Failures failures, TimerCalls calls, String queue, byte[] body) {
        this.exchange = exchange;
        this.timers = timers;
        this.failures = failures;
        this.calls = calls;
        this.queue = queue;
        this.body = body;
        this.lines = split(body, timers.durability());
        this.trace = RequestTrace.of(exchange.request());
    }

    /** Begins; the answer is written when the last line has its result. */
    void run() {
        TimerCalls.checkNames(queue, "any");
        exchange.hasParts(lines.size());
        unanswered = lines.size() + 1;
        turn();
    }

    private void turn() {
        int end = Math.min(lines.size(), next + LINES_PER_TURN);
        while (next < end) {
            Line line = lines.get(next++);
            try {
                command(line);
            } catch (RuntimeException | Error e) {
                answered(line, failures.problem(e));
            }
        }
        if (next < lines.size()) {
            Objects.requireNonNull(Vertx.currentContext()).runOnContext(go -> exchange.attempt(this::turn));
        } else {
            answered();
        }
    }

    private void command(Line line) {
        int length = line.to - line.from;
        if (length > Limits.BODY) {
            throw new Problem(
                            ProblemCode.BODY_TOO_LARGE,
                            "the line has " + length + " bytes, must have at most " + Limits.BODY)
                    .exception();
        }
        ScheduleBody schedule = calls.read(queue, body, line.from, line.to, ScheduleBody.Place.BATCH_LINE);
        line.key = schedule.commandKey();
        Guard.checkScope(exchange.caller(), schedule.cancelKey() == null ? Scope.SCHEDULE : Scope.CANCEL);
        TimerCalls.offering(timers, schedule.durability());
        if (schedule.durability() != null) {
            line.level = schedule.durability();
        }
        if (schedule.cancelKey() != null) {
            String key = schedule.cancelKey();
            await(line, TimerCalls.cancel(timers, queue, key, schedule.durability(), null));
        } else if (schedule.touchKey() != null) {
            String key = schedule.touchKey();
            CommandOptions options = new CommandOptions(null, schedule.durability());
            await(line, TimerCalls.named(queue, key, () -> timers.touch(queue, key, options)));
        } else {
            String key = schedule.key() != null ? schedule.key() : calls.newKey();
            line.key = key;
            schedule.follow(trace);
            await(line, timers.schedule(TimerCalls.named(queue, key, () -> schedule.toRequest(queue, key))));
        }
    }

    private void await(Line line, CompletableFuture<?> answer) {
        var unused = answer.whenComplete((value, failure) ->
                answered(line, failure != null ? failures.problem(failure) : Objects.requireNonNull(value)));
    }

    private void answered(Line line, Object result) {
        line.result = result;
        answered();
    }

    private void answered() {
        if (--unanswered == 0) {
            exchange.attempt(this::write);
        }
    }

    private void write() {
        JsonOut out = new JsonOut(64 + 240 * lines.size());
        int done = 0;
        for (Line line : lines) {
            out.open('{');
            out.field("line").number(line.number);
            done += writeResult(out, line, Objects.requireNonNull(line.result)) ? 1 : 0;
            out.close('}').put('\n');
        }
        exchange.counts(new AuditCount(done, lines.size() - done, List.of()));
        exchange.answer(200, NDJSON, out.toBuffer());
    }

    /** Returns whether the line was carried out. */
    private boolean writeResult(JsonOut out, Line line, Object result) {
        if (result instanceof Scheduled scheduled && scheduled.outcome() != Scheduled.Outcome.CONFLICT) {
            out.field("status").number(TimerCalls.status(scheduled));
            TimerJson.writeScheduled(out, scheduled, scheduled.outcome(), scheduled.previous(), line.level);
            return true;
        }
        if (result instanceof Cancelled cancelled && TimerCalls.isTaken(cancelled)) {
            TimerView timer = Objects.requireNonNull(cancelled.timer());
            out.field("status").number(TimerCalls.status(cancelled));
            out.field("outcome").string(cancelled.outcome().name());
            TimerJson.writeFields(out, new ShownTimer(timer, line.level));
            return true;
        }
        if (result instanceof Changed changed && changed.outcome() == Changed.Outcome.CHANGED) {
            out.field("status").number(200);
            out.field("outcome").string(changed.outcome().name());
            TimerJson.writeFields(out, new ShownTimer(Objects.requireNonNull(changed.timer()), line.level));
            return true;
        }
        Problem problem = problem(line, result);
        out.field("status").number(problem.code().status());
        problem.writeBlame(out);
        if (problem.timer() == null && line.key != null) {
            out.field("queue").string(queue);
            out.field("key").string(line.key);
        }
        return false;
    }

    private Problem problem(Line line, Object result) {
        if (result instanceof Scheduled scheduled) {
            return TimerCalls.conflict(scheduled.timer(), line.level);
        }
        if (result instanceof Cancelled cancelled) {
            return TimerCalls.notCancelled(cancelled, queue, Objects.requireNonNull(line.key), line.level);
        }
        if (result instanceof Changed changed) {
            return ChangeCalls.notTouched(changed, queue, Objects.requireNonNull(line.key), line.level);
        }
        return (Problem) result;
    }

    /** The lines that are not blank, with their numbers from 1. */
    private static List<Line> split(byte[] body, Durability level) {
        List<Line> lines = new ArrayList<>();
        int number = 0;
        for (int from = 0; from < body.length; ) {
            int to = from;
            boolean blank = true;
            while (to < body.length && body[to] != '\n') {
                blank &= body[to] == ' ' || body[to] == '\t' || body[to] == '\r';
                to++;
            }
            number++;
            if (!blank) {
                if (lines.size() == Limits.BATCH_LINES) {
                    throw new Problem(
                                    ProblemCode.TOO_MANY_LINES,
                                    "the batch has more than " + Limits.BATCH_LINES + " lines, must have at most that")
                            .exception();
                }
                lines.add(new Line(number, from, to, level));
            }
            from = to + 1;
        }
        return lines;
    }

    /** A line of the body and what became of it. */
    private static final class Line {
        final int number;
        final int from;
        final int to;

        /** What is certain once it is answered. */
        Durability level;

        @Nullable
        String key;

        @Nullable
        Object result;

        Line(int number, int from, int to, Durability level) {
            this.number = number;
            this.from = from;
            this.to = to;
            this.level = level;
        }
    }
}
