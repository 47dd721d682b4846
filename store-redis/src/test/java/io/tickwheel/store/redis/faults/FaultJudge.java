package io.tickwheel.store.redis.faults;

import io.tickwheel.store.Scheduled.Previous;
import io.tickwheel.store.redis.faults.FaultReport.Broken;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Holds a ledger against the promises; see {@link Broken}. A command of unknown outcome may have been carried out or not, at
 * any time from its start until shortly after it was given up. A timer may come again only if something befell the node that
 * had it, or the servers, before its acknowledgement was certain.
 */
final class FaultJudge {

    /** How long an acknowledgement may take to be certain, and a given up command to be carried out. */
    private static final long SETTLED_MS = 2_000;

    private final Map<String, List<FaultWish>> wishesByKey;
    private final Map<String, List<FaultDelivery>> deliveriesByToken = new HashMap<>();
    private final Map<FaultDelivery, Long> handled;
    private final List<FaultCause> causes;
    private final FaultReport report = new FaultReport();

    FaultJudge(
            Map<String, List<FaultWish>> wishesByKey,
            List<FaultDelivery> deliveries,
            Map<FaultDelivery, Long> handled,
            List<FaultCause> causes) {
        this.wishesByKey = wishesByKey;
        this.handled = handled;
        this.causes = causes;
        for (FaultDelivery delivery : deliveries) {
            deliveriesByToken
                    .computeIfAbsent(delivery.token(), token -> new ArrayList<>())
                    .add(delivery);
        }
        deliveriesByToken.values().forEach(list -> list.sort(Comparator.comparingLong(FaultDelivery::wallMs)));
        report.deliveries = deliveries.size();
    }

    FaultReport judge() {
        wishesByKey.forEach((key, wishes) -> {
            wishes.forEach(this::count);
            for (int i = 0; i < wishes.size(); i++) {
                if (!wishes.get(i).isCancel()) {
                    judge(wishes.get(i), wishes.subList(i + 1, wishes.size()));
                }
            }
            judgeUnknown(key, wishes);
        });
        Set<String> wished = new HashSet<>();
        wishesByKey.values().forEach(wishes -> wishes.forEach(wish -> wished.add(wish.token)));
        deliveriesByToken.keySet().stream()
                .filter(token -> !wished.contains(token))
                .forEach(token -> report.broken(Broken.CONTRADICTION, token, "nobody asked for " + token));
        report.latenessMs = deliveriesByToken.values().stream()
                .mapToLong(list -> list.get(0).wallMs() - list.get(0).dueAtMs())
                .sorted()
                .toArray();
        return report;
    }

    /** Whether no live timer stood there. */
    private static boolean hadEnded(Previous previous) {
        return previous == Previous.NONE || previous == Previous.DEAD;
    }

    private void count(FaultWish wish) {
        switch (wish.answer().kind()) {
            case MADE -> {
                report.made++;
                if (!hadEnded(wish.answer().previous())) {
                    report.replaced++;
                }
            }
            case CANCELLED, LAST_ATTEMPT_RUNNING -> report.cancelled++;
            case UNKNOWN -> report.unknown++;
            case FULL, REFUSED -> report.refused++;
            case TOO_LATE, NOT_FOUND -> {
                // Judged with what stood there.
            }
        }
    }

    /** A timer that was wished for, and the commands on its key that came after. */
    private void judge(FaultWish wish, List<FaultWish> later) {
        List<FaultDelivery> came = deliveriesByToken.getOrDefault(wish.token, List.of());
        for (FaultDelivery each : came) {
            if (each.wallMs() < wish.dueAtMs) {
                report.broken(Broken.EARLY, wish.key, each + " is early by " + (wish.dueAtMs - each.wallMs()) + " ms");
            }
            if (wish.answer().isMade() && !each.id().equals(wish.answer().id())) {
                report.broken(Broken.CONTRADICTION, wish.key, each + " has another id than was answered");
            }
        }
        FaultAnswer.Kind kind = wish.answer().kind();
        if ((kind == FaultAnswer.Kind.REFUSED || kind == FaultAnswer.Kind.FULL) && !came.isEmpty()) {
            report.broken(Broken.CONTRADICTION, wish.key, wish.token + " was refused and came");
        }
        judgeRepeats(wish, came);
        judgeEnd(wish, later, came);
    }

    private void judgeRepeats(FaultWish wish, List<FaultDelivery> came) {
        for (int i = 1; i < came.size(); i++) {
            FaultDelivery first = came.get(i - 1);
            FaultDelivery again = came.get(i);
            if (explains(first, again)) {
                report.tiedDuplicates++;
            } else {
                report.broken(
                        Broken.UNEXPLAINED_DUPLICATE,
                        wish.key,
                        again + " came " + (again.wallMs() - first.wallMs()) + " ms after " + first.node());
            }
        }
    }

    private boolean explains(FaultDelivery first, FaultDelivery again) {
        boolean firstWasNotEnded = befell(first.node(), first.wallMs(), certainMs(first));
        // A claim of before, whose handler was called late.
        boolean againWasHeldUp = again.attempt() <= first.attempt() && wasHeldUp(again, first.wallMs() - SETTLED_MS);
        return firstWasNotEnded || againWasHeldUp;
    }

    private long certainMs(FaultDelivery delivery) {
        Long end = handled.get(delivery);
        return end == null ? Long.MAX_VALUE : end + SETTLED_MS;
    }

    private boolean befell(String node, long sinceMs, long untilMs) {
        return causes.stream().anyMatch(cause -> cause.befell(node, sinceMs, untilMs));
    }

    /** Whether the node stood still between a claim and the call of the handler. */
    private boolean wasHeldUp(FaultDelivery delivery, long sinceMs) {
        return causes.stream()
                .filter(cause -> cause.kind() == FaultCause.Kind.STOPPED || cause.kind() == FaultCause.Kind.STALLED)
                .anyMatch(cause -> cause.befell(delivery.node(), sinceMs, delivery.wallMs()));
    }

    /** Follows the timer through the commands that came after it: it must come, unless one of them ended it. */
    private void judgeEnd(FaultWish wish, List<FaultWish> later, List<FaultDelivery> came) {
        boolean mayBeEnded = !wish.answer().isMade();
        for (FaultWish next : later) {
            FaultAnswer answer = next.answer();
            switch (answer.kind()) {
                case REFUSED, FULL, TOO_LATE -> {
                    // Nothing happened to it.
                }
                case UNKNOWN -> mayBeEnded = true;
                case CANCELLED -> {
                    checkNotAfter(Broken.CANCELLED_AND_FIRED, next, came);
                    if (!mayBeEnded) {
                        checkNotBefore(next, came);
                    }
                    return;
                }
                case LAST_ATTEMPT_RUNNING -> {
                    checkOneAfter(next, came);
                    return;
                }
                case NOT_FOUND -> {
                    if (!mayBeEnded) {
                        report.broken(Broken.LOST, wish.key, wish.token + " was not found");
                    }
                    return;
                }
                case MADE -> {
                    if (answer.previous() == Previous.PENDING) {
                        checkNotAfter(Broken.STALE, next, came);
                        if (!mayBeEnded) {
                            checkNotBefore(next, came);
                        }
                    } else if (hadEnded(answer.previous()) && !mayBeEnded && came.isEmpty()) {
                        report.broken(Broken.LOST, wish.key, wish.token + " was gone and had never come");
                    }
                    return;
                }
            }
        }
        if (!mayBeEnded && came.isEmpty()) {
            report.broken(Broken.LOST, wish.key, wish.token + " never came");
        }
    }

    private void checkNotAfter(Broken kind, FaultWish end, List<FaultDelivery> came) {
        for (FaultDelivery each : came) {
            if (each.wallMs() > end.endMs() && !wasHeldUp(each, end.startMs - SETTLED_MS)) {
                report.broken(kind, end.key, each + " came after " + end);
            }
        }
    }

    /** The attempt that ran may come to its handler behind the answer; no other does. */
    private void checkOneAfter(FaultWish end, List<FaultDelivery> came) {
        long attempts = came.stream()
                .filter(each -> each.wallMs() > end.endMs())
                .map(FaultDelivery::attempt)
                .distinct()
                .count();
        if (attempts > 1) {
            report.broken(Broken.CANCELLED_AND_FIRED, end.key, attempts + " attempts came after " + end);
        }
    }

    /** It was pending when it was ended: so it had not come, unless something took its claim away. */
    private void checkNotBefore(FaultWish end, List<FaultDelivery> came) {
        for (FaultDelivery each : came) {
            if (each.wallMs() < end.startMs && !befell(each.node(), each.wallMs(), certainMs(each))) {
                report.broken(Broken.CONTRADICTION, end.key, each + " had come, and " + end);
            }
        }
    }

    /** A later version than the last known one must be explained by a command of unknown outcome. */
    private void judgeUnknown(String key, List<FaultWish> wishes) {
        long version = 0;
        long unknown = 0;
        for (FaultWish wish : wishes) {
            if (wish.answer().isUnknown() && !wish.isCancel()) {
                unknown++;
            }
            if (wish.answer().isMade()) {
                long now = wish.answer().version();
                if (now <= version || now > version + 1 + unknown) {
                    report.broken(
                            Broken.CONTRADICTION,
                            key,
                            "version " + now + " after " + version + " and " + unknown + " of unknown outcome");
                }
                version = now;
                unknown = 0;
            }
        }
    }
}
