package io.tickwheel.server.crash;

import io.tickwheel.server.crash.LedgerStanding.Objection;
import io.tickwheel.server.crash.LedgerViolation.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Goes through the requests for one key and keeps the set of what may stand under it. A request of unknown outcome splits
 * the set (it was applied, or it was not), an answer throws out what it contradicts. When nothing is left, no course of
 * events explains the answers and arrivals: a promise was broken. So an unknown outcome excuses exactly what it can explain.
 *
 * <p>It relies on two habits of the clients: the requests for a key follow each other, and after an unknown outcome the
 * key is left alone until there is another server process, so that a late effect cannot overtake a later request.
 */
final class LedgerReplay {

    private final Map<String, LedgerTimer> timers;
    private final BiConsumer<Kind, String> broken;
    private Set<LedgerStanding> standing = Set.of(LedgerStanding.NOTHING);
    private @Nullable LedgerRequest last;

    /**
     * @param timers the versions of the key by token
     * @param broken is told each broken promise
     */
    LedgerReplay(Map<String, LedgerTimer> timers, BiConsumer<Kind, String> broken) {
        this.timers = timers;
        this.broken = broken;
    }

    void apply(LedgerRequest request) {
        checkHabits(request);
        if (request.answer() instanceof LedgerAnswer.Refused) {
            return;
        }
        LedgerRequest.Wish wish = request.wish();
        if (wish instanceof LedgerRequest.Put put) {
            applyPut(request, timers.get(put.token()));
        } else if (wish instanceof LedgerRequest.Cancel) {
            applyCancel(request);
        } else {
            applyLook(request);
        }
    }

    /** Ends the run: whatever was due before {@code endMs} must have come. */
    void close(long endMs) {
        keep("at the end", LedgerStanding.NOTHING, s -> s.toEnd(endMs), s -> s);
    }

    private void applyPut(LedgerRequest request, LedgerTimer made) {
        LedgerStanding after = LedgerStanding.of(made);
        if (request.answer() instanceof LedgerAnswer.Made answer) {
            keep(told(request), after, s -> s.toBeingReplaced(request, answer), s -> after);
        } else if (made.arrived()) {
            keep(told(request), after, s -> s.toBeingReplacedUnseen(request), s -> after);
        } else {
            split(s -> s.toBeingReplacedUnseen(request), s -> after);
        }
    }

    private void applyCancel(LedgerRequest request) {
        LedgerAnswer answer = request.answer();
        if (answer instanceof LedgerAnswer.Cancelled told) {
            keep(
                    told(request),
                    LedgerStanding.NOTHING,
                    s -> s.toBeingCancelled(request, told.id()),
                    LedgerStanding::asCancelled);
        } else if (answer instanceof LedgerAnswer.LastAttempt told) {
            keep(
                    told(request),
                    LedgerStanding.NOTHING,
                    s -> s.toLastAttempt(request, told.id()),
                    LedgerStanding::withLastAttempt);
        } else if (answer instanceof LedgerAnswer.TooLate told) {
            keep(told(request), null, s -> s.toTooLate(request, told.state()), s -> s);
        } else if (answer instanceof LedgerAnswer.NotFound) {
            applyNotFound(request);
        } else {
            // It was pending, or an attempt ran: the latter allows what the former does.
            split(s -> s.toLastAttempt(request, null), LedgerStanding::withLastAttempt);
        }
    }

    private void applyLook(LedgerRequest request) {
        LedgerAnswer answer = request.answer();
        if (answer instanceof LedgerAnswer.Seen seen) {
            keep(told(request), null, s -> s.toSeen(request, seen.id(), seen.state()), s -> s);
        } else if (answer instanceof LedgerAnswer.NotFound) {
            applyNotFound(request);
        }
    }

    private void applyNotFound(LedgerRequest request) {
        keep(told(request), LedgerStanding.NOTHING, s -> s.toNotFound(request), s -> LedgerStanding.NOTHING);
    }

    /** Only what the answer does not contradict goes on; when that is nothing, {@code otherwise}, or null for what was. */
    private void keep(
            String told,
            @Nullable LedgerStanding otherwise,
            Function<LedgerStanding, @Nullable Objection> objection,
            Function<LedgerStanding, LedgerStanding> then) {
        Set<LedgerStanding> next = new LinkedHashSet<>();
        List<Objection> objections = new ArrayList<>();
        for (LedgerStanding before : standing) {
            Objection against = objection.apply(before);
            if (against == null) {
                next.add(then.apply(before));
            } else {
                objections.add(against);
            }
        }
        if (next.isEmpty()) {
            Objection gravest = objections.stream()
                    .min(Comparator.comparing(Objection::kind))
                    .orElseThrow();
            broken.accept(gravest.kind(), gravest.what() + " (" + told + ")");
            next = otherwise == null ? standing : Set.of(otherwise);
        }
        standing = next;
    }

    /** Everything goes on as it was, and also as it would be had the request been applied. */
    private void split(
            Function<LedgerStanding, @Nullable Objection> objection, Function<LedgerStanding, LedgerStanding> applied) {
        Set<LedgerStanding> next = new LinkedHashSet<>(standing);
        for (LedgerStanding before : standing) {
            if (objection.apply(before) == null) {
                next.add(applied.apply(before));
            }
        }
        standing = next;
    }

    private void checkHabits(LedgerRequest request) {
        LedgerRequest before = last;
        last = request;
        if (before == null) {
            return;
        }
        boolean inDoubt =
                before.answer() instanceof LedgerAnswer.Unknown && !(before.wish() instanceof LedgerRequest.Look);
        if (before.end().isAfter(request.start()) || (inDoubt && before.lifetime() == request.lifetime())) {
            throw new IllegalStateException("the clients broke their habits: " + before + ", then " + request);
        }
    }

    private static String told(LedgerRequest request) {
        return "at " + request.wish() + " -> " + request.answer();
    }
}
