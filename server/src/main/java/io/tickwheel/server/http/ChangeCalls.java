package io.tickwheel.server.http;

import io.tickwheel.engine.CommandOptions;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerDetails;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.server.wire.Problem;
import io.tickwheel.server.wire.ProblemCode;
import io.tickwheel.server.wire.ScheduleBody;
import io.tickwheel.server.wire.ShownTimer;
import io.tickwheel.server.wire.TimerJson;
import io.tickwheel.store.Changed;
import io.tickwheel.store.Durability;
import io.tickwheel.store.TimerView;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The calls that change a timer which stays the same one: reschedule, run, touch, redrive, purge, and pause and resume of a plan. */
final class ChangeCalls {

    private static final String TOUCH_RULE = "PENDING to be touched";

    private final Readiness readiness;
    private final TimerCalls calls;

    ChangeCalls(Readiness readiness, TimerCalls calls) {
        this.readiness = readiness;
        this.calls = calls;
    }

    void reschedule(Exchange exchange, String queue, String key, byte[] bytes) {
        ScheduleBody body = calls.read(queue, bytes, 0, bytes.length, ScheduleBody.Place.RESCHEDULE);
        Tickwheel timers = TimerCalls.offering(readiness.timers(), body.durability());
        CommandOptions options = options(exchange, body.durability());
        Duration delay = body.delay();
        CompletableFuture<Changed> answer = TimerCalls.named(
                queue,
                key,
                () -> delay == null
                        ? timers.reschedule(queue, key, Objects.requireNonNull(body.dueAt()), options)
                        : timers.reschedule(queue, key, delay, options));
        await(exchange, answer, queue, key, options, "PENDING to be rescheduled");
    }

    void run(Exchange exchange, String queue, String key) {
        CommandOptions options = IfMatch.options(exchange.request());
        Tickwheel timers = readiness.timers();
        CompletableFuture<Changed> answer = TimerCalls.named(queue, key, () -> timers.runNow(queue, key, options));
        await(exchange, answer, queue, key, options, "PENDING to be run");
    }

    void touch(Exchange exchange, String queue, String key) {
        CommandOptions options = IfMatch.options(exchange.request());
        Tickwheel timers = readiness.timers();
        CompletableFuture<Changed> answer = TimerCalls.named(queue, key, () -> timers.touch(queue, key, options));
        await(exchange, answer, queue, key, options, TOUCH_RULE);
    }

    void pausePlan(Exchange exchange, String queue, String key) {
        CommandOptions options = IfMatch.options(exchange.request());
        Tickwheel timers = readiness.timers();
        CompletableFuture<Changed> answer = TimerCalls.named(queue, key, () -> timers.pausePlan(queue, key, options));
        await(exchange, answer, queue, key, options, "PENDING to be paused");
    }

    void resumePlan(Exchange exchange, String queue, String key) {
        CommandOptions options = IfMatch.options(exchange.request());
        Tickwheel timers = readiness.timers();
        CompletableFuture<Changed> answer = TimerCalls.named(queue, key, () -> timers.resumePlan(queue, key, options));
        await(exchange, answer, queue, key, options, "PENDING to be resumed");
    }

    void purge(Exchange exchange, String queue, String key) {
        CommandOptions options = IfMatch.options(exchange.request());
        Tickwheel timers = readiness.timers();
        CompletableFuture<Changed> answer = TimerCalls.named(queue, key, () -> timers.purge(queue, key, options));
        await(exchange, answer, queue, key, options, "DEAD to be purged");
    }

    /** @param bytes what is to change; empty when nothing is */
    void redrive(Exchange exchange, String queue, String key, byte[] bytes) {
        Tickwheel timers = readiness.timers();
        if (bytes.length == 0) {
            CommandOptions options = IfMatch.options(exchange.request());
            redriven(
                    exchange,
                    TimerCalls.named(queue, key, () -> timers.redrive(queue, key, options)),
                    queue,
                    key,
                    options);
            return;
        }
        ScheduleBody body = calls.read(queue, bytes, 0, bytes.length, ScheduleBody.Place.REDRIVE);
        TimerCalls.offering(timers, body.durability());
        CommandOptions options = options(exchange, body.durability());
        CompletableFuture<Changed> answer = TimerCalls.named(queue, key, () -> timers.read(queue, key))
                .thenCompose(found -> edited(timers, queue, key, body, options, found));
        redriven(exchange, answer, queue, key, options);
    }

    private void redriven(
            Exchange exchange, CompletableFuture<Changed> answer, String queue, String key, CommandOptions options) {
        await(exchange, answer, queue, key, options, "DEAD to be redriven");
    }

    /** What the body does not say stays as it is: of the timer that was read, and no other. */
    private CompletableFuture<Changed> edited(
            Tickwheel timers,
            String queue,
            String key,
            ScheduleBody body,
            CommandOptions options,
            Optional<TimerDetails> found) {
        String expected = options.expectedId();
        boolean isMeant = found.isPresent()
                && (expected == null || expected.equals(found.get().timer().id()));
        if (!isMeant) {
            return timers.redrive(queue, key, options);
        }
        TimerDetails details = found.get();
        Duration delay = body.delay();
        TimerRequest when = body.dueAt() != null
                ? TimerRequest.at(queue, key, body.dueAt())
                : TimerRequest.after(queue, key, delay == null ? Duration.ZERO : delay);
        calls.checkEdit(body, details);
        return timers.redrive(details, body.with(when.withContentOf(details)));
    }

    private static CommandOptions options(Exchange exchange, @Nullable Durability asked) {
        CommandOptions options = IfMatch.options(exchange.request());
        return asked == null ? options : options.withDurability(asked);
    }

    private void await(
            Exchange exchange,
            CompletableFuture<Changed> answer,
            String queue,
            String key,
            CommandOptions options,
            String rule) {
        Durability asked = options.durability();
        Durability level = asked == null ? readiness.durability() : asked;
        exchange.await(answer, changed -> {
            TimerView timer = changed.timer();
            if (timer == null) {
                exchange.refuse(TimerCalls.unknown(queue, key)
                        .withOutcome(changed.outcome().name()));
            } else if (changed.outcome() == Changed.Outcome.CHANGED) {
                IfMatch.tag(exchange, timer.id());
                exchange.answer(200, TimerJson.changed(changed, level));
            } else {
                exchange.refuse(wrongState(changed, timer, rule, level));
            }
        });
    }

    /** Of a touch that changed nothing. */
    static Problem notTouched(Changed changed, String queue, String key, Durability level) {
        TimerView timer = changed.timer();
        return timer == null
                ? TimerCalls.unknown(queue, key).withOutcome(changed.outcome().name())
                : wrongState(changed, timer, TOUCH_RULE, level);
    }

    private static Problem wrongState(Changed changed, TimerView timer, String rule, Durability level) {
        return new Problem(
                ProblemCode.WRONG_STATE,
                "the timer is " + timer.state() + ", must be " + rule,
                null,
                Problem.Applied.NO,
                changed.outcome().name(),
                new ShownTimer(timer, level));
    }
}
