package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.TimerState;
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

    /** Index of the last state that somebody was shown. */
    private int shown;

    /** Index of the state that was found last: it is synced since. */
    private int kept;

    /**
     * A timer as it must be found after a crash, when claims are forgotten.
     *
     * @param number which schedule made it, for as long as it is pending; 0 when it is finished
     */
    record Entry(int number, long version, long dueAtMs, long attemptAtMs, TimerState state, int attempts) {

        static Entry scheduled(int number, long version, long dueAtMs) {
            return new Entry(number, version, dueAtMs, dueAtMs, TimerState.PENDING, 0);
        }

        boolean isLive() {
            return !state.isFinished();
        }

        Entry postponed(long newAttemptAtMs) {
            return new Entry(number, version, dueAtMs, newAttemptAtMs, state, attempts);
        }

        Entry retried(long newAttemptAtMs) {
            return new Entry(number, version, dueAtMs, newAttemptAtMs, state, attempts + 1);
        }

        Entry cancelled() {
            return new Entry(0, version, dueAtMs, attemptAtMs, TimerState.CANCELLED, attempts);
        }

        /** As it is shown while an attempt runs. */
        Entry claimed(int attemptsStarted) {
            return new Entry(number, version, dueAtMs, attemptAtMs, TimerState.CLAIMED, attemptsStarted);
        }

        /** Another end of one that has finished. */
        Entry ended(TimerState outcome, int attemptsStarted) {
            return new Entry(0, version, dueAtMs, attemptAtMs, outcome, attemptsStarted);
        }

        Entry finished(TimerState outcome) {
            return new Entry(0, version, dueAtMs, attemptAtMs, outcome, attempts + 1);
        }
    }

    /** The same commands, of which nothing was shown. */
    Ledger unseen() {
        Ledger ledger = new Ledger();
        ledger.states.addAll(states.subList(1, states.size()));
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

    /** An identity that was shown belongs to that version for good. */
    void showId(String key, long version, String id) {
        String known = shownIds.putIfAbsent(key + "#" + version, id);
        assertThat(known == null ? id : known)
                .as("id of version %d of %s", version, key)
                .isEqualTo(id);
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
            if (states.get(i).equals(found)) {
                states.subList(i + 1, states.size()).clear();
                shown = i;
                kept = i;
                return;
            }
        }
        throw new AssertionError("found is what no first part of the commands gives, after what was shown"
                + difference("shown", states.get(shown), found)
                + difference("told", now(), found));
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
