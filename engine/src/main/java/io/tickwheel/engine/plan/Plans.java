package io.tickwheel.engine.plan;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.EngineListener;
import io.tickwheel.engine.Plan;
import io.tickwheel.engine.TimerContent;
import io.tickwheel.engine.attempt.Destinations;
import io.tickwheel.engine.due.DueLane;
import io.tickwheel.engine.due.DueTimer;
import io.tickwheel.engine.inbox.Answers;
import io.tickwheel.engine.inbox.Inbox;
import io.tickwheel.engine.rule.RunKeys;
import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.SpawnCommand;
import io.tickwheel.store.Spawned;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFullException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Plans that have come due: they are not delivered, but make their next run, a timer of its own, and move on in the same step of the calendar. Owned by the loop.
 *
 * <pre>
 *   claimed -> look at the run before -> {@link PlanTurn} -> RUN: look for a free number -> spawn, with the run; or again, if the run of that number goes on
 *                                                   MOVE: spawn, without one
 *                                                   WAIT: spawn or postpone, until the run before has ended
 *                                                   END:  finish
 * </pre>
 *
 * A claim of a plan holds its credit until that is answered. Answers come back as notes: one must not call the calendar.
 */
public final class Plans {

    /** So many plans that wait for a run are told at once when it ends; others look by themselves. */
    private static final int MOST_WAITING = 100_000;

    private static final long FULL_MS = 1_000;

    /** What becomes of the claim that was used to look at a plan. */
    public interface Claims {

        /** The timer is to be as it was before the claim. */
        void giveBack(DueLane lane, DueTimer due);

        /** The claim has ended, and no attempt was made. */
        void notStarted(DueLane lane, DueTimer due);
    }

    private final Calendar calendar;
    private final Clock clock;
    private final Inbox inbox;
    private final Destinations destinations;
    private final EngineListener listener;
    private final Claims claims;
    private final Consumer<String> runMade;
    private final Map<TimerKey, Claimed> claimed = new HashMap<>();

    /** Plans that wait, as they were seen last, the oldest one first. */
    private final Map<TimerKey, TimerView> waiting = new LinkedHashMap<>();

    private boolean stopped;

    /** @param runMade is told the queue of each run that is made */
    public Plans(
            Calendar calendar,
            Clock clock,
            Inbox inbox,
            Destinations destinations,
            EngineListener listener,
            Claims claims,
            Consumer<String> runMade) {
        this.calendar = calendar;
        this.clock = clock;
        this.inbox = inbox;
        this.destinations = destinations;
        this.listener = listener;
        this.claims = claims;
        this.runMade = runMade;
    }

    /** Starts no run from now on. */
    public void stop() {
        stopped = true;
    }

    /** Takes a claim of a plan. */
    public void granted(DueLane lane, DueTimer due, ClaimedTimer granted, TimerContent content) {
        Claimed plan = new Claimed(lane, due, granted.view(), content, Objects.requireNonNull(content.plan()));
        waiting.remove(plan.view.key());
        claimed.put(plan.view.key(), plan);
        plan.begin();
    }

    /** Learns that a timer has ended: when it was a run, its plan may wait for that. */
    public void ended(TimerKey key) {
        if (waiting.isEmpty() && claimed.isEmpty()) {
            return;
        }
        String ofPlan = RunKeys.planOf(key.key());
        if (ofPlan.length() == key.key().length()) {
            return;
        }
        TimerKey plan = new TimerKey(key.queue(), ofPlan);
        Claimed looking = claimed.get(plan);
        TimerView known = waiting.remove(plan);
        if (looking != null) {
            looking.runHasEnded = true;
        } else if (known != null) {
            lookNow(known);
        }
    }

    /** A plan that was changed meanwhile stays; one for which there is no room now looks by itself. */
    private void lookNow(TimerView plan) {
        long nowMs = Math.min(clock.wallMs(), plan.attemptAtMs());
        calendar.change(ChangeCommand.reschedule(plan.key(), nowMs).withExpected(plan), Answers.ignored());
    }

    private void waits(TimerView plan) {
        if (waiting.size() >= MOST_WAITING) {
            waiting.remove(waiting.keySet().iterator().next());
        }
        waiting.put(plan.key(), plan);
    }

    /** A claim of a plan, from the grant to the answer. */
    private final class Claimed {

        private final DueLane lane;
        private final DueTimer due;
        private final TimerView view;
        private final TimerContent content;
        private final Plan plan;

        /** The run before has ended since it was looked at. */
        private boolean runHasEnded;

        Claimed(DueLane lane, DueTimer due, TimerView view, TimerContent content, Plan plan) {
            this.lane = lane;
            this.due = due;
            this.view = view;
            this.content = content;
            this.plan = plan;
        }

        void begin() {
            if (PlanTurn.looksBack(plan)) {
                find(plan.lastRun(), this::decide);
            } else if (mayFollowAnother()) {
                new LeftRuns(
                                calendar,
                                inbox,
                                view.key(),
                                clock.wallMs(),
                                left -> unlessStopped(() -> decideBehind(left)),
                                this::postpone)
                        .look();
            } else {
                decide(null);
            }
        }

        /** Whether the key had a timer before, which may have been a plan: of one whose place it took, it would know the last run. */
        private boolean mayFollowAnother() {
            return plan.lastRun() == 0 && view.version() > 1 && PlanTurn.looksBack(plan.withLastRun(1));
        }

        private void decideBehind(@Nullable TimerView left) {
            decide(left == null ? plan : plan.withLastRun(LeftRuns.numberOf(left)), left);
        }

        private void unlessStopped(Runnable then) {
            if (stopped) {
                over();
                claims.giveBack(lane, due);
            } else {
                then.run();
            }
        }

        /** Looks at a run. */
        private void find(long number, Consumer<@Nullable TimerView> then) {
            calendar.find(RunKeys.of(view.key(), number), new Answer<>() {

                @Override
                public void accept(List<TimerView> found) {
                    inbox.note(() -> unlessStopped(() -> then.accept(found.isEmpty() ? null : found.get(0))));
                }

                @Override
                public void fail(StoreException reason) {
                    inbox.note(Claimed.this::postpone);
                }
            });
        }

        private void decide(@Nullable TimerView before) {
            decide(plan, before);
        }

        private void decide(Plan from, @Nullable TimerView before) {
            PlanTurn turn = PlanTurn.of(from, view.dueAtMs(), before, clock.wallMs());
            switch (turn.kind()) {
                case RUN -> findFree(turn, turn.plan().lastRun());
                case MOVE -> spawn(turn, null);
                case WAIT -> await(turn);
                case END -> {
                    over();
                    calendar.finish(due.timer, TimerState.COMPLETED);
                    claims.notStarted(lane, due);
                }
            }
        }

        /**
         * The first number behind those of all runs that are known: a plan before that was cancelled may have left some, or made one while this plan took its place. The last of
         * them is looked for twice as far each time, and then in between, so that this takes few looks however many runs there are. One that goes on is the run before.
         */
        private void findFree(PlanTurn turn, long number) {
            find(number, known -> {
                if (known == null) {
                    spawnRun(turn, number);
                } else {
                    new LastKnown(turn, number, known).lookFarther();
                }
            });
        }

        private void spawnRun(PlanTurn turn, long number) {
            spawn(turn, run(turn, number), turn.plan().withLastRun(number));
        }

        /** The search for the last run that is known. */
        private final class LastKnown {

            private final PlanTurn turn;
            private long number;
            private TimerView run;

            LastKnown(PlanTurn turn, long number, TimerView run) {
                this.turn = turn;
                this.number = number;
                this.run = run;
            }

            void lookFarther() {
                look(2 * number, this::lookFarther);
            }

            /** None has the number {@code free}. */
            private void lookBefore(long free) {
                if (free - number > 1) {
                    look(number + (free - number) / 2, () -> lookBefore(free));
                } else {
                    found();
                }
            }

            private void look(long at, Runnable whenKnown) {
                find(at, known -> {
                    if (known == null) {
                        lookBefore(at);
                    } else {
                        number = at;
                        run = known;
                        whenKnown.run();
                    }
                });
            }

            private void found() {
                Plan behind = plan.withLastRun(number);
                if (!run.state().isFinished() && PlanTurn.looksBack(behind)) {
                    decide(behind, run);
                } else {
                    spawnRun(turn, number + 1);
                }
            }
        }

        private ScheduleCommand run(PlanTurn turn, long number) {
            return new ScheduleCommand(
                    RunKeys.of(view.key(), number),
                    turn.runDueAtMs(),
                    content.asRun().encode(),
                    destinations.route(content.destination()),
                    OnConflict.KEEP,
                    0,
                    null,
                    null);
        }

        private void await(PlanTurn turn) {
            if (plan.isWaiting()) {
                over();
                long lookAtMs = runHasEnded ? clock.wallMs() : turn.dueAtMs();
                if (calendar.postpone(due.timer, lookAtMs)) {
                    waits(pendingAt(lookAtMs));
                }
                claims.notStarted(lane, due);
            } else {
                spawn(turn, null);
            }
        }

        private TimerView pendingAt(long lookAtMs) {
            return new TimerView(
                    view.key(), view.id(), view.version(), view.dueAtMs(), lookAtMs, TimerState.PENDING, 0);
        }

        private void spawn(PlanTurn turn, @Nullable ScheduleCommand run) {
            spawn(turn, run, turn.plan());
        }

        private void spawn(PlanTurn turn, @Nullable ScheduleCommand run, Plan next) {
            byte[] bytes = content.withPlan(next).encode();
            calendar.spawn(new SpawnCommand(due.timer, turn.dueAtMs(), bytes, run), new Answer<>() {

                @Override
                public void accept(Spawned spawned) {
                    inbox.note(() -> {
                        if (run != null) {
                            runMade.accept(view.key().queue());
                        }
                        spawned(next, spawned);
                    });
                }

                @Override
                public void fail(StoreException reason) {
                    if (reason instanceof StoreFullException full) {
                        listener.refused(full);
                        inbox.note(Claimed.this::postpone);
                    } else {
                        // The plan was replaced or cancelled, or stands as after a crash: this claim of it is over.
                        inbox.note(Claimed.this::end);
                    }
                }
            });
        }

        private void spawned(Plan next, Spawned spawned) {
            end();
            if (next.isWaiting()) {
                if (runHasEnded) {
                    lookNow(spawned.plan());
                } else if (!claimed.containsKey(view.key())) {
                    waits(spawned.plan());
                }
            }
        }

        /** What cannot be done now is tried again soon. */
        private void postpone() {
            over();
            calendar.postpone(due.timer, clock.wallMs() + FULL_MS);
            claims.notStarted(lane, due);
        }

        private void end() {
            over();
            claims.notStarted(lane, due);
        }

        private void over() {
            claimed.remove(view.key(), this);
        }
    }
}
