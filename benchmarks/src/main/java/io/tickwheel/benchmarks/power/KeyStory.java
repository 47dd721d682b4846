package io.tickwheel.benchmarks.power;

import io.tickwheel.benchmarks.power.Verdict.Kind;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Scheduled.Previous;
import io.tickwheel.store.TimerState;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What may stand under one key. A command of unknown outcome splits the set when its process is over (it was applied, or it
 * was not), an answer or a delivery throws out what it contradicts. When nothing is left, no course of events explains what
 * was seen: a promise was broken.
 *
 * <p>The commands for a key follow each other, and after an unknown outcome the key is left alone until the next process.
 */
final class KeyStory {

    /** Null for a command that is no schedule. */
    private record Command(String name, @Nullable TimerStory timer, long line) {}

    /** Nothing, a timer that was not cancelled (it may be finished), or a cancelled one. */
    private record Standing(@Nullable TimerStory timer, boolean cancelled) {

        boolean isOpen() {
            return timer != null && !cancelled && !timer.finished;
        }
    }

    private static final Standing NOTHING = new Standing(null, false);

    private final String name;
    private final History history;
    private final Verdict verdict;
    private final List<TimerStory> timers = new ArrayList<>();
    private Set<Standing> standing = Set.of(NOTHING);
    private @Nullable Command command;

    KeyStory(String name, History history, Verdict verdict) {
        this.name = name;
        this.history = history;
        this.verdict = verdict;
    }

    /** The timers that were asked for under this key. */
    List<TimerStory> timers() {
        return timers;
    }

    /** Whether a timer may be live, or a command is not answered. */
    boolean isOpen() {
        return command != null || standing.stream().anyMatch(Standing::isOpen);
    }

    void asked(String what, @Nullable TimerStory timer) {
        // A process without power may go on after an answer that does not count.
        split();
        if (timer != null) {
            timers.add(timer);
        }
        command = new Command(what, timer, history.line());
    }

    void made(long version, String id, long dueAtMs, Previous previous) {
        Command answered = answered();
        TimerStory timer = answered.timer();
        if (timer == null) {
            verdict.add(Kind.CONTRADICTION, name + ": a timer was made by a command that is no schedule");
            return;
        }
        timer.accepted = true;
        identify(timer, id, version);
        if (dueAtMs != timer.dueAtMs) {
            verdict.add(Kind.CONTRADICTION, timer + " was accepted as due at " + dueAtMs);
        }
        if (previous == Previous.NONE) {
            keepGone("made with nothing before it");
        } else {
            keep("made as version " + version + " where a timer was " + previous, null, s -> {
                TimerStory old = s.timer();
                return s.isOpen()
                        && old != null
                        && old.version < version
                        && (previous == Previous.CLAIMED || mayBePending(old, history.line()));
            });
            supersede(previous == Previous.CLAIMED);
        }
        standing = Set.of(new Standing(timer, false));
    }

    void cancelled(Cancelled.Outcome outcome, @Nullable TimerStory timer, @Nullable TimerState state) {
        Command answered = answered();
        if (outcome == Cancelled.Outcome.NOT_FOUND || timer == null) {
            keepGone("not found by a cancel");
        } else if (outcome == Cancelled.Outcome.CANCELLED) {
            keep(
                    "cancelled " + timer,
                    timer,
                    s -> s.timer() == timer && (s.cancelled() || mayBePending(timer, history.line())));
            timer.cancelled = true;
            standing = Set.of(new Standing(timer, true));
        } else {
            keepState(timer, state, answered.line());
        }
    }

    void found(@Nullable TimerStory timer, @Nullable TimerState state) {
        Command answered = answered();
        if (timer == null) {
            keepGone("not found");
        } else if (state == TimerState.CANCELLED) {
            keep("found " + timer + " cancelled", timer, s -> s.timer() == timer && s.cancelled());
            timer.cancelled = true;
            standing = Set.of(new Standing(timer, true));
        } else {
            keepState(timer, state, answered.line());
            timer.pendingAtEnd = state == TimerState.PENDING && history.isHealed();
        }
    }

    /** The command was refused for good: its timer does not exist. */
    void notApplied() {
        command = null;
    }

    /** No answer comes any more: a command without one was applied, or not. */
    void split() {
        Command open = command;
        command = null;
        if (open == null || open.name().equals("find")) {
            return;
        }
        Set<Standing> split = new LinkedHashSet<>(standing);
        TimerStory made = open.timer();
        if (made == null) {
            standing.stream().filter(Standing::isOpen).forEach(s -> split.add(new Standing(s.timer(), true)));
        } else if (made.cameIn > 0) {
            supersede(true);
            split.clear();
            split.add(new Standing(made, false));
        } else {
            split.add(new Standing(made, false));
        }
        standing = split;
    }

    void came(TimerStory timer) {
        if (command != null && command.timer() == timer) {
            return;
        }
        if (standing.contains(new Standing(timer, false))) {
            if (standing.size() > 1) {
                settleOn(timer);
            }
        } else if (timer.cancelled) {
            verdict.add(Kind.UNCANCELLED, timer + " came although it was cancelled");
        } else if (timer.claimedWhenReplacedIn != history.lifetime()) {
            verdict.add(Kind.STALE, timer + " came although it was replaced");
        }
    }

    /** The timer that an answer speaks of; null for one that nobody asked for. */
    @Nullable
    TimerStory identify(String id, long version, long dueAtMs) {
        for (TimerStory timer : timers) {
            if (id.equals(timer.id) || (timer.id == null && timer.dueAtMs == dueAtMs)) {
                identify(timer, id, version);
                if (dueAtMs != timer.dueAtMs && !(timer.everFailed && dueAtMs > timer.dueAtMs)) {
                    verdict.add(Kind.CONTRADICTION, timer + " was found as due at " + dueAtMs);
                }
                return timer;
            }
        }
        verdict.add(Kind.UNKNOWN, name + " version " + version + " (" + id + ", due at " + dueAtMs + ") was found");
        return null;
    }

    void identify(TimerStory timer, String id, long version) {
        if (timer.id == null) {
            timer.id = id;
            timer.version = version;
        } else if (!id.equals(timer.id) || version != timer.version) {
            verdict.add(Kind.CONTRADICTION, timer + " was seen as version " + version + ", " + id);
        }
    }

    /** Ends the run, after everything was looked at once more. */
    void conclude() {
        for (Standing s : standing) {
            TimerStory timer = s.timer();
            boolean owed = timer != null && standing.size() == 1 && s.isOpen() && !timer.isDelivered();
            if (timer != null && owed && !timer.pendingAtEnd) {
                lose(timer, "was neither delivered nor found at the end");
            } else if (timer != null && owed && timer.dueAtMs < history.healedAtMs()) {
                lose(timer, "was overdue and not delivered at the end");
            }
        }
    }

    private void keepState(TimerStory timer, @Nullable TimerState state, long askedAtLine) {
        String what = "found " + timer + " " + state;
        if (state == TimerState.COMPLETED) {
            if (!timer.isDelivered()) {
                timer.tookIn = timer.mayHaveTakenIn;
            }
            keep(what, timer, s -> s.timer() == timer && !s.cancelled() && timer.isDelivered());
            timer.finished = true;
        } else if (state == TimerState.PENDING || state == TimerState.CLAIMED) {
            keep(
                    what,
                    timer,
                    s -> s.timer() == timer
                            && s.isOpen()
                            && (state == TimerState.CLAIMED || mayBePending(timer, askedAtLine)));
        } else {
            lose(timer, "was given up as " + state);
        }
        settleOn(timer);
    }

    private void keepGone(String what) {
        keep(what, null, s -> {
            TimerStory timer = s.timer();
            return timer == null || s.cancelled() || timer.isDelivered();
        });
        for (Standing s : standing) {
            TimerStory timer = s.timer();
            if (timer != null) {
                timer.cancelled |= s.cancelled() && standing.size() == 1;
                timer.finished = true;
            }
        }
    }

    /** Throws out what an answer contradicts; the answer shows {@code shown}, or nothing. */
    private void keep(String answer, @Nullable TimerStory shown, Predicate<Standing> fits) {
        Set<Standing> kept = new LinkedHashSet<>(standing);
        kept.removeIf(s -> !fits.test(s));
        if (!kept.isEmpty()) {
            standing = kept;
            return;
        }
        Kind kind = Kind.CONTRADICTION;
        for (Standing s : standing) {
            TimerStory timer = s.timer();
            if (timer != null && s.cancelled()) {
                kind = Kind.UNCANCELLED;
            } else if (timer != null && timer == shown && timer.isDelivered()) {
                kind = Kind.REPEATED;
            } else if (timer != null && timer != shown && timer.isKnown() && s.isOpen() && !timer.isDelivered()) {
                lose(timer, "was accepted, then the store answered: " + answer);
                return;
            }
        }
        verdict.add(kind, name + ": " + answer + " where one of these stood: " + standing);
    }

    private boolean mayBePending(TimerStory timer, long askedAtLine) {
        return !timer.wasTakenBefore(askedAtLine, history.lifetime()) && !history.wasTakenInTime(timer);
    }

    /** Only this timer stands: what is older was replaced, if nothing else became of it, and what is newer was never made. */
    private void settleOn(TimerStory timer) {
        timers.subList(0, timers.indexOf(timer)).forEach(older -> older.replaced = true);
        standing = Set.of(new Standing(timer, false));
    }

    private void supersede(boolean claimed) {
        for (Standing s : standing) {
            TimerStory old = s.timer();
            if (old != null && !s.cancelled()) {
                old.replaced = true;
                old.claimedWhenReplacedIn = claimed ? history.lifetime() : 0;
            }
        }
    }

    private void lose(TimerStory timer, String what) {
        timer.lost = true;
        verdict.add(Kind.LOST, timer + " " + what);
    }

    private Command answered() {
        Command open = command;
        if (open == null) {
            throw new IllegalStateException("an answer without a command for " + name);
        }
        command = null;
        return open;
    }
}
