package io.tickwheel.benchmarks.power;

import io.tickwheel.benchmarks.power.Verdict.Kind;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Scheduled.Previous;
import io.tickwheel.store.TimerState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Goes through the {@link Ledger}, line by line, and holds the promises against it. */
final class History {

    /** What was taken longer than this before a cut must not come again, or a store that forgets deliveries would pass. */
    static final long COMPLETION_MS = 2_000;

    private static final long RUNNING = Long.MIN_VALUE;
    private static final long CLOSED = Long.MAX_VALUE;

    private final Verdict verdict = new Verdict();
    private final Map<String, KeyStory> keys = new LinkedHashMap<>();
    private final Map<String, TimerStory> timers = new HashMap<>();
    /** When each process ended, by its number; at 0 stands none. */
    private final List<Long> endedAtMs = new ArrayList<>(List.of(CLOSED));

    private long line;
    private long healedAtMs = Long.MAX_VALUE;
    private boolean ready;
    /** Whether the process went on while its power was cut. */
    private boolean running;

    private int cuts;
    private int cutsFrozen;
    private int cutsWhileOpening;
    private int unknownOutcomes;
    private int arrivals;
    private int arrivalsAgain;
    private long pendingCounted;

    /** The number of the line that is being read, from 1. */
    long line() {
        return line;
    }

    /** The number of the process that is running or was the last, from 1. */
    int lifetime() {
        return endedAtMs.size() - 1;
    }

    boolean isHealed() {
        return healedAtMs != Long.MAX_VALUE;
    }

    /** Everything due by then was to be delivered before. */
    long healedAtMs() {
        return healedAtMs;
    }

    /** The keys under which a timer may be live. */
    List<String> openKeys() {
        return keys.entrySet().stream()
                .filter(entry -> entry.getValue().isOpen())
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The due times that were asked for under a key. */
    List<Long> dueTimesOf(String key) {
        return key(key).timers().stream().map(timer -> timer.dueAtMs).toList();
    }

    Verdict verdict() {
        return verdict;
    }

    /** Whether a timer was taken so long before its process ended that this must have been written down. */
    boolean wasTakenInTime(TimerStory timer) {
        long end = endedAtMs.get(timer.tookIn);
        return timer.tookIn > 0 && end != RUNNING && (end == CLOSED || end - timer.tookAtMs > COMPLETION_MS);
    }

    /** Takes the words of a line. */
    void apply(List<String> words) {
        line++;
        switch (words.get(0)) {
            case "open" -> opened();
            case "ready" -> ready = true;
            case "refused" -> refused(String.join(" ", words.subList(1, words.size())));
            case "cut" -> cut(words);
            case "closed" -> endedAtMs.set(lifetime(), CLOSED);
            case "healed" -> healedAtMs = number(words, 1);
            case "counted" -> counted(words);
            case "came" -> came(words);
            case "took" -> took(words);
            case "failed" -> timer(words.get(1)).failed = timer(words.get(1)).everFailed = true;
            case "schedule" -> scheduled(words);
            case "made" -> made(words);
            case "cancel", "find" -> key(words.get(1)).asked(words.get(0), null);
            case "cancelled" -> cancelled(words);
            case "found" -> found(words);
            case "unknown" -> notAnswered(words);
            case "notapplied" -> {
                notAnswered(words);
                key(words.get(1)).notApplied();
            }
            default -> throw new IllegalArgumentException("line " + line + " of the ledger is " + words);
        }
    }

    /** Ends the run and says how it went. */
    String conclude() {
        if (!isHealed()) {
            return "the run did not come to its end";
        }
        keys.values().forEach(KeyStory::conclude);
        long known = count(TimerStory::isKnown);
        long lost = count(t -> t.lost);
        long delivered = count(t -> !t.lost && t.isDelivered());
        long cancelled = count(t -> !t.lost && !t.isDelivered() && t.cancelled);
        long pending = count(t -> !t.lost && !t.isDelivered() && !t.cancelled && t.pendingAtEnd && !t.replaced);
        long replaced = count(t -> !t.lost && !t.isDelivered() && !t.cancelled && t.replaced && t.isKnown());
        if (known != lost + delivered + cancelled + replaced + pending || pending != pendingCounted) {
            verdict.add(Kind.CONTRADICTION, "the counts do not add up; the store counts " + pendingCounted);
        }
        return "%,d accepted = %,d delivered + %,d cancelled + %,d replaced + %,d pending + %,d lost"
                .formatted(known, delivered, cancelled, replaced, pending, lost);
    }

    /** What to know beside the counts. */
    String circumstances() {
        return "%d cuts, %d of them with the process frozen, %d before the store was open; %,d commands of unknown outcome; %,d deliveries, %,d of them again"
                .formatted(cuts, cutsFrozen, cutsWhileOpening, unknownOutcomes, arrivals, arrivalsAgain);
    }

    private void opened() {
        keys.values().forEach(KeyStory::split);
        endedAtMs.add(RUNNING);
        ready = false;
        running = false;
    }

    /** Without power no store opens. */
    private void refused(String why) {
        if (endedAtMs.get(lifetime()) == RUNNING) {
            verdict.add(Kind.REFUSED, why);
        }
    }

    private void cut(List<String> words) {
        endedAtMs.set(lifetime(), number(words, 1));
        running = words.get(2).equals("running");
        cuts++;
        if (!running) {
            cutsFrozen++;
        }
        if (!ready) {
            cutsWhileOpening++;
        }
    }

    /** While nothing is delivered, the store counts exactly what is found. */
    private void counted(List<String> words) {
        if (isBeyondBelief()) {
            return;
        }
        long live = number(words, 1);
        long found = number(words, 2);
        pendingCounted = live;
        if (live != found) {
            verdict.add(Kind.UNKNOWN, "the store has " + live + " live timers and " + found + " were found");
        }
    }

    private void scheduled(List<String> words) {
        TimerStory timer = new TimerStory(words.get(1), words.get(2), number(words, 3));
        timers.put(timer.token, timer);
        key(timer.key).asked("schedule", timer);
    }

    private void made(List<String> words) {
        if (isAnswer(words)) {
            key(words.get(1)).made(number(words, 2), words.get(3), number(words, 4), Previous.valueOf(words.get(5)));
        }
    }

    private void cancelled(List<String> words) {
        if (isAnswer(words)) {
            Cancelled.Outcome outcome = Cancelled.Outcome.valueOf(words.get(2));
            key(words.get(1)).cancelled(outcome, seen(words, 3), state(words, 3));
        }
    }

    private void found(List<String> words) {
        if (isAnswer(words)) {
            key(words.get(1)).found(seen(words, 2), state(words, 2));
        }
    }

    private boolean isAnswer(List<String> words) {
        if (isBeyondBelief()) {
            notAnswered(words);
            return false;
        }
        return true;
    }

    /**
     * A process that runs while its file system is shut down may be told that a sync succeeded which did not: seen on ext4 and
     * XFS with nothing but write and fdatasync. Without power nobody would have got that answer.
     */
    private boolean isBeyondBelief() {
        return running && endedAtMs.get(lifetime()) != RUNNING;
    }

    private @Nullable TimerStory seen(List<String> words, int from) {
        return words.get(from).equals(Ledger.NONE)
                ? null
                : key(words.get(1)).identify(words.get(from), number(words, from + 1), number(words, from + 2));
    }

    private static @Nullable TimerState state(List<String> words, int from) {
        return words.get(from).equals(Ledger.NONE) ? null : TimerState.valueOf(words.get(from + 3));
    }

    private void notAnswered(List<String> words) {
        unknownOutcomes++;
        if (endedAtMs.get(lifetime()) == RUNNING) {
            verdict.add(Kind.UNANSWERED, words.get(1) + ": a command failed before the power was cut");
        }
    }

    private void came(List<String> words) {
        arrivals++;
        TimerStory timer = timers.get(words.get(1));
        if (timer == null || !timer.key.equals(words.get(2))) {
            verdict.add(Kind.UNKNOWN, "nobody asked for " + words);
            return;
        }
        if (isBeyondBelief() && !timer.isKnown()) {
            return;
        }
        key(timer.key).identify(timer, words.get(3), number(words, 4));
        long wallMs = number(words, 6);
        if (wallMs < timer.dueAtMs || wallMs < number(words, 5)) {
            verdict.add(Kind.EARLY, timer + " came at " + wallMs);
        }
        if (timer.isDelivered()) {
            arrivalsAgain++;
        }
        if (timer.finished || timer.wasTakenBefore(line, lifetime()) || wasTakenInTime(timer)) {
            verdict.add(Kind.REPEATED, timer + " came although it had been taken");
        }
        timer.cameIn = lifetime();
        timer.cameAtLine = line;
        timer.failed = false;
        key(timer.key).came(timer);
    }

    private void took(List<String> words) {
        TimerStory timer = timer(words.get(1));
        if (!isBeyondBelief() || timer.isKnown()) {
            timer.tookIn = lifetime();
            timer.tookAtMs = number(words, 2);
        } else {
            timer.mayHaveTakenIn = lifetime();
        }
    }

    private KeyStory key(String name) {
        return keys.computeIfAbsent(name, key -> new KeyStory(key, this, verdict));
    }

    private TimerStory timer(String token) {
        TimerStory timer = timers.get(token);
        if (timer == null) {
            throw new IllegalArgumentException("line " + line + " of the ledger is about an unknown timer " + token);
        }
        return timer;
    }

    private long count(Predicate<TimerStory> which) {
        return timers.values().stream().filter(which).count();
    }

    private static long number(List<String> words, int index) {
        return Long.parseLong(words.get(index));
    }
}
