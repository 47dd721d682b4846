package io.tickwheel.examples;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Changed;
import io.tickwheel.store.IdMismatchException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * An agent sleeps, for minutes or for weeks, and is woken with what it wanted to remember; no process waits meanwhile. What it remembers is the payload of its timer. An agent that
 * wants to sleep on says so when it is woken.
 */
final class AgentWakeUps {

    private static final String QUEUE = "wake-agent";

    private final Tickwheel timers;
    private final Agents agents;

    /**
     * How an agent sleeps.
     *
     * @param state what it wants to know when it is woken
     */
    record Sleep(Duration length, String state) {}

    /** Wakes agents. Called again with the same state after a failure or a crash. */
    interface Agents {
        /** Gives how the agent sleeps on; empty when it has done what it was for. */
        Optional<Sleep> wake(String agent, String state);
    }

    AgentWakeUps(Tickwheel timers, Agents agents) {
        this.timers = timers;
        this.agents = agents;
        timers.handle(QUEUE, this::wake);
    }

    /** Arms the alarm of an agent, or arms it anew: it has one, and the last one that was asked for holds. */
    CompletableFuture<?> sleep(String agent, Sleep sleep) {
        return timers.schedule(alarm(agent, sleep));
    }

    /** Has it wake up after another time, from now on, with the state that it has; gives whether it still slept. */
    CompletableFuture<Boolean> sleepFor(String agent, Duration length) {
        return timers.reschedule(QUEUE, agent, length).thenApply(answer -> answer.outcome() == Changed.Outcome.CHANGED);
    }

    /** Lets it sleep for good; gives whether it still slept: one that is awake decides itself how it goes on. */
    CompletableFuture<Boolean> cancel(String agent) {
        return timers.cancel(QUEUE, agent).thenApply(answer -> answer.outcome() == Cancelled.Outcome.CANCELLED);
    }

    /** The next alarm is durable before this one has ended: if the process dies in between, the agent is woken again, and never forgotten. */
    private void wake(Attempt attempt) throws InterruptedException {
        Optional<Sleep> next = agents.wake(attempt.key(), attempt.text());
        if (next.isPresent()) {
            try {
                Tickwheel.await(timers.schedule(alarm(attempt.key(), next.get()).withExpectedId(attempt.id())));
            } catch (IdMismatchException e) {
                // Somebody has armed it anew while it was awake, and that was later.
            }
        }
    }

    private static TimerRequest alarm(String agent, Sleep sleep) {
        return TimerRequest.after(QUEUE, agent, sleep.length()).withText(sleep.state());
    }
}
