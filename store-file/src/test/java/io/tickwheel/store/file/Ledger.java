package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The oracle of the crash tests: what a store was told, in order, and how much of it was shown to somebody. After a crash the
 * store must stand as it stood after some first part of the commands, which contains all that was shown; and then it never
 * goes back behind that.
 */
final class Ledger {

    /** After each command, what a crash must find of each key. The last one is how the store stands now. */
    private final List<Map<String, Entry>> states = new ArrayList<>(List.of(Map.of()));

    private final Map<String, String> shownIds = new HashMap<>();

    /** By the number of a content that a timer was given later: the number of the schedule that made it. */
    private final Map<Integer, Integer> makers = new HashMap<>();

    /** Index of the last state that somebody was shown. */
    private int shown;

    /** Index of the state that was found last: it is synced since. */
    private int kept;

    /**
     * A timer as it must be found after a crash, when claims are forgotten.
     *
     * @param number which content it has; 0 when that is not known
     */
    record Entry(
            int number,
            long version,
            long dueAtMs,
            long attemptAtMs,
            TimerState state,
            int attempts,
            List<PastAttempt> history) {

        static Entry scheduled(int number, long version, long dueAtMs) {
            return new Entry(number, version, dueAtMs, dueAtMs, TimerState.PENDING, 0, List.of());
        }

        /** As it is shown, with a content that was delivered, or 0. */
        static Entry of(int number, TimerView view) {
            return new Entry(
                    number,
                    view.version(),
                    view.dueAtMs(),
                    view.attemptAtMs(),
                    view.state(),
                    view.attempts(),
                    view.history());
        }

        /** As it is found by those who deliver nothing but what is pending. */
        Entry found() {
            return isLive() ? this : withNumber(0);
        }

        Entry withNumber(int other) {
            return new Entry(other, version, dueAtMs, attemptAtMs, state, attempts, history);
        }

        boolean isLive() {
            return !state.isFinished();
        }

        Entry postponed(long newAttemptAtMs) {
            return new Entry(number, version, dueAtMs, newAttemptAtMs, state, attempts, history);
        }

        Entry retried(long newAttemptAtMs, @Nullable PastAttempt past) {
            return new Entry(number, version, dueAtMs, newAttemptAtMs, state, attempts + 1, with(past));
        }

        /** Rescheduled, or, when it is dead, redriven. */
        Entry changed(int newNumber, long newDueAtMs) {
            int counted = state == TimerState.DEAD ? 0 : attempts;
            return new Entry(newNumber, version, newDueAtMs, newDueAtMs, TimerState.PENDING, counted, history);
        }

        /** Of a plan, which comes again. */
        Entry next(int newNumber, long newDueAtMs) {
            return new Entry(newNumber, version, newDueAtMs, newDueAtMs, TimerState.PENDING, 0, history);
        }

        Entry cancelled() {
            return ended(TimerState.CANCELLED, attempts, null);
        }

        /** As it is shown while an attempt runs. */
        Entry claimed(int attemptsStarted) {
            return new Entry(number, version, dueAtMs, attemptAtMs, TimerState.CLAIMED, attemptsStarted, history);
        }

        /** Another end of one that has finished. */
        Entry ended(TimerState outcome, int attemptsStarted, @Nullable PastAttempt past) {
            return new Entry(number, version, dueAtMs, attemptAtMs, outcome, attemptsStarted, with(past));
        }

        Entry finished(TimerState outcome, @Nullable PastAttempt past) {
            return ended(outcome, attempts + 1, past);
        }

        private List<PastAttempt> with(@Nullable PastAttempt past) {
            if (past == null) {
                return history;
            }
            List<PastAttempt> all = new ArrayList<>(history);
            all.add(past);
            return List.copyOf(all.subList(Math.max(0, all.size() - PastAttempt.REMEMBERED), all.size()));
        }
    }

    /** The same commands, of which nothing was shown. */
    Ledger unseen() {
        Ledger ledger = new Ledger();
        ledger.states.addAll(states.subList(1, states.size()));
        ledger.makers.putAll(makers);
        return ledger;
    }

    /** How much was shown so far. */
    int shown() {
        return shown;
    }

    /** The same commands, of which so much was shown. */
    Ledger shownUpTo(int index) {
        Ledger ledger = unseen();
        ledger.shown = index;
        return ledger;
    }

    @Nullable
    Entry get(String key) {
        return now().get(key);
    }

    Map<String, Entry> now() {
        return states.get(states.size() - 1);
    }

    void put(String key, Entry entry) {
        Map<String, Entry> next = new HashMap<>(now());
        next.put(key, entry);
        states.add(next);
    }

    /** Two timers change in one step. */
    void put(String key, Entry entry, String otherKey, Entry otherEntry) {
        Map<String, Entry> next = new HashMap<>(now());
        next.put(key, entry);
        next.put(otherKey, otherEntry);
        states.add(next);
    }

    /** The timer of a key is forgotten. */
    void remove(String key) {
        Map<String, Entry> next = new HashMap<>(now());
        next.remove(key);
        states.add(next);
    }

    /** A timer is given another content. */
    void renumber(int before, int after) {
        makers.put(after, maker(before));
    }

    private int maker(int number) {
        return makers.getOrDefault(number, number);
    }

    boolean hasDead() {
        return now().values().stream().anyMatch(entry -> entry.state() == TimerState.DEAD);
    }

    /** The last command was refused, and had no effect. */
    void takeBack() {
        states.remove(states.size() - 1);
    }

    /** How many commands took effect so far, and still count. */
    int commands() {
        return states.size() - 1;
    }

    /** Somebody was shown what the key was like after so many commands: the last change of it must not get lost. */
    void show(String key, int commands) {
        int changed = commands;
        while (changed > shown
                && Objects.equals(
                        states.get(changed - 1).get(key), states.get(changed).get(key))) {
            changed--;
        }
        shown = Math.max(shown, changed);
    }

    /** An identity that was shown belongs to that timer for good. */
    void showId(String key, Entry timer, String id) {
        String known = shownIds.putIfAbsent(timerName(key, timer), id);
        assertThat(known == null ? id : known)
                .as("id of version %d of %s", timer.version(), key)
                .isEqualTo(id);
    }

    /** The identity of the timer of a key; null when it was not shown. */
    @Nullable
    String id(String key) {
        Entry timer = get(key);
        return timer == null ? null : shownIds.get(timerName(key, timer));
    }

    private String timerName(String key, Entry timer) {
        return key + "#" + timer.version() + "#" + maker(timer.number());
    }

    /** Begins with what was found. */
    void believe(Map<String, Entry> found) {
        states.clear();
        states.add(Map.copyOf(found));
    }

    /** What was shown since the last crash or restart may be lost. */
    void doubtLastLife() {
        shown = kept;
        shownIds.clear();
    }

    /** Compares what was found after a crash, which is from now on how the store stands. */
    void check(Map<String, Entry> found) {
        for (int i = states.size() - 1; i >= shown; i--) {
            if (found(states.get(i)).equals(found)) {
                states.subList(i + 1, states.size()).clear();
                shown = i;
                kept = i;
                return;
            }
        }
        throw new AssertionError("found is what no first part of the commands gives, after what was shown"
                + difference("shown", found(states.get(shown)), found)
                + difference("told", found(now()), found));
    }

    private static Map<String, Entry> found(Map<String, Entry> state) {
        Map<String, Entry> found = new HashMap<>();
        state.forEach((key, entry) -> found.put(key, entry.found()));
        return found;
    }

    private static String difference(String name, Map<String, Entry> expected, Map<String, Entry> found) {
        StringBuilder text = new StringBuilder();
        for (String key : keys(expected, found)) {
            Entry a = expected.get(key);
            Entry b = found.get(key);
            if (a == null || !a.equals(b)) {
                text.append("\n  ")
                        .append(key)
                        .append(' ')
                        .append(name)
                        .append(' ')
                        .append(a)
                        .append(" found ")
                        .append(b);
            }
        }
        return text.toString();
    }

    private static List<String> keys(Map<String, Entry> expected, Map<String, Entry> found) {
        List<String> keys = new ArrayList<>(expected.keySet());
        found.keySet().stream().filter(key -> !expected.containsKey(key)).forEach(keys::add);
        keys.sort(null);
        return keys;
    }
}
