package io.tickwheel.server.crash;

import io.tickwheel.server.crash.LedgerReport.Count;
import io.tickwheel.server.crash.LedgerViolation.Kind;
import io.tickwheel.store.Scheduled;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.LongStream;

/**
 * Judges a finished run by its outside book: what was asked, what was answered, what arrived, and when the server was
 * killed. {@link LedgerViolation.Kind} says what is looked for; {@link LedgerReplay} how unknown outcomes are treated.
 */
final class LedgerChecker {

    /**
     * A receiver's 200 must be remembered soon: a timer that came longer than this before a kill must not come again, or a
     * server that never writes completions down would pass.
     */
    static final long COMPLETION_MS = 2_000;

    private static final Comparator<LedgerMoment> IN_TIME = (a, b) -> Long.signum(a.nanos() - b.nanos());

    private final List<LedgerRequest> requests;
    private final List<LedgerArrival> arrivals;
    private final Map<Integer, LedgerLifetime> lifetimes = new HashMap<>();
    private final Map<String, Map<String, LedgerTimer>> timersByKey = new LinkedHashMap<>();
    private final Map<String, LedgerTimer> timers = new HashMap<>();
    private final Map<String, LedgerTimer> owners = new HashMap<>();
    private final LedgerReport report = new LedgerReport();

    private LedgerChecker(List<LedgerRequest> requests, List<LedgerArrival> arrivals, List<LedgerLifetime> lifetimes) {
        this.requests = new ArrayList<>(requests);
        this.requests.sort(Comparator.comparing(LedgerRequest::start, IN_TIME));
        this.arrivals = new ArrayList<>(arrivals);
        this.arrivals.sort(Comparator.comparing(LedgerArrival::at, IN_TIME));
        lifetimes.forEach(lifetime -> this.lifetimes.put(lifetime.number(), lifetime));
    }

    /**
     * Judges a run.
     *
     * @param endMs what was due before this must have arrived; the caller has waited long enough for it
     */
    static LedgerReport check(
            List<LedgerRequest> requests, List<LedgerArrival> arrivals, List<LedgerLifetime> lifetimes, long endMs) {
        return new LedgerChecker(requests, arrivals, lifetimes).check(endMs);
    }

    private LedgerReport check(long endMs) {
        Map<String, List<LedgerArrival>> byToken = new HashMap<>();
        arrivals.forEach(a ->
                byToken.computeIfAbsent(a.token(), token -> new ArrayList<>()).add(a));
        for (LedgerRequest request : requests) {
            if (request.wish() instanceof LedgerRequest.Put put) {
                LedgerTimer timer = new LedgerTimer(request, put, byToken.getOrDefault(put.token(), List.of()), owners);
                timers.put(put.token(), timer);
                timersByKey
                        .computeIfAbsent(request.key(), key -> new LinkedHashMap<>())
                        .put(put.token(), timer);
            }
        }
        checkIds();
        replay(endMs);
        requests.forEach(this::checkAnswer);
        byToken.forEach(this::checkArrivals);
        countLateness();
        report.count(Count.ARRIVALS, arrivals.size());
        report.count(Count.KILLS, (int)
                lifetimes.values().stream().filter(l -> l.killed() != null).count());
        return report;
    }

    private void replay(long endMs) {
        Map<String, LedgerReplay> replays = new LinkedHashMap<>();
        for (LedgerRequest request : requests) {
            replays.computeIfAbsent(request.key(), this::replayOf).apply(request);
        }
        replays.values().forEach(replay -> replay.close(endMs));
    }

    private LedgerReplay replayOf(String key) {
        return new LedgerReplay(timersByKey.getOrDefault(key, Map.of()), (kind, what) -> broken(kind, key, what));
    }

    private void checkAnswer(LedgerRequest request) {
        LedgerAnswer answer = request.answer();
        if (request.wish() instanceof LedgerRequest.Put) {
            report.count(Count.TIMERS);
        } else if (request.wish() instanceof LedgerRequest.Look) {
            report.count(Count.LOOKS);
        }
        if (answer instanceof LedgerAnswer.Made made) {
            report.count(Count.ACKED);
            if (made.previous() != Scheduled.Previous.NONE) {
                report.count(Count.REPLACED);
            }
            checkDueAt(timer(request), made);
        } else if (answer instanceof LedgerAnswer.Cancelled) {
            report.count(Count.CANCELLED);
        } else if (answer instanceof LedgerAnswer.LastAttempt) {
            report.count(Count.LAST_ATTEMPT);
        } else if (answer instanceof LedgerAnswer.TooLate) {
            report.count(Count.TOO_LATE);
        } else if (answer instanceof LedgerAnswer.Unknown) {
            report.count(Count.UNKNOWN);
            if (!endedByKill(request)) {
                broken(Kind.UNANSWERED, request.key(), "no answer from a live server: " + request);
            }
        } else if (answer instanceof LedgerAnswer.Refused) {
            report.count(Count.REFUSED);
            broken(Kind.UNANSWERED, request.key(), "refused: " + request);
        }
    }

    private boolean endedByKill(LedgerRequest request) {
        LedgerMoment killed = lifetime(request.lifetime()).killed();
        return killed != null && !killed.isAfter(request.end());
    }

    private void checkDueAt(LedgerTimer timer, LedgerAnswer.Made made) {
        if (made.dueAtMs() < timer.leastDueAtMs()) {
            broken(Kind.EARLY, timer.request().key(), timer + " is due before its delay has passed");
        } else if (made.dueAtMs() > timer.greatestDueAtMs()) {
            broken(Kind.CONTRADICTION, timer.request().key(), timer + " is due later than its delay");
        }
    }

    private void checkArrivals(String token, List<LedgerArrival> same) {
        LedgerTimer timer = timers.get(token);
        if (timer == null || timer.request().answer() instanceof LedgerAnswer.Refused) {
            same.forEach(a -> broken(Kind.UNEXPECTED, a.key(), "nobody asked for " + a));
            return;
        }
        LedgerArrival before = null;
        for (LedgerArrival arrival : same) {
            checkNames(timer, same.get(0), arrival);
            checkNotEarly(timer, arrival);
            if (before != null) {
                checkTied(timer, before, arrival);
            }
            before = arrival;
        }
    }

    private void checkNames(LedgerTimer timer, LedgerArrival first, LedgerArrival arrival) {
        LedgerAnswer.Made made = timer.made();
        boolean asAnswered = made == null
                || (made.id().equals(arrival.id())
                        && made.version() == arrival.version()
                        && (arrival.attempt() != 1 || made.dueAtMs() == arrival.dueAtMs()));
        boolean asBefore = first.id().equals(arrival.id()) && first.version() == arrival.version();
        boolean asAsked = timer.request().key().equals(arrival.key())
                && arrival.attempt() >= 1
                && arrival.at().isAfter(timer.request().start());
        if (!asAnswered || !asBefore || !asAsked) {
            broken(Kind.UNEXPECTED, timer.request().key(), timer + " came as another: " + arrival);
        }
    }

    private void checkNotEarly(LedgerTimer timer, LedgerArrival arrival) {
        if (arrival.at().wallMs() < timer.dueAtMs() || arrival.at().wallMs() < arrival.dueAtMs()) {
            broken(
                    Kind.EARLY,
                    timer.request().key(),
                    timer + " is due at " + timer.dueAtMs() + " and came as " + arrival);
        }
    }

    private void checkTied(LedgerTimer timer, LedgerArrival before, LedgerArrival again) {
        LedgerMoment killed = lifetime(before.lifetime()).killed();
        if (before.lifetime() == again.lifetime() || killed == null) {
            broken(Kind.UNTIED_DUPLICATE, timer.request().key(), timer + " came twice from one process");
            return;
        }
        long tieMs = killed.msAfter(before.at());
        if (tieMs > COMPLETION_MS) {
            broken(
                    Kind.UNTIED_DUPLICATE,
                    timer.request().key(),
                    timer + " came again although it had come " + tieMs + " ms before the kill");
            return;
        }
        report.countTied(tieMs);
    }

    private void checkIds() {
        for (LedgerTimer timer : timers.values()) {
            String id = timer.id();
            LedgerTimer other = id == null ? null : owners.putIfAbsent(id, timer);
            if (other != null) {
                broken(Kind.UNEXPECTED, timer.request().key(), timer + " and " + other + " have the same id " + id);
            }
        }
    }

    /** Over the timers that were due while the server that sent them was ready. */
    private void countLateness() {
        report.setLatenessMs(timers.values().stream()
                .filter(timer -> timer.made() != null && timer.arrived())
                .flatMapToLong(timer -> {
                    LedgerArrival first = timer.arrivals().get(0);
                    LedgerMoment ready = lifetime(first.lifetime()).ready();
                    return ready == null || timer.dueAtMs() < ready.wallMs()
                            ? LongStream.empty()
                            : LongStream.of(first.at().wallMs() - timer.dueAtMs());
                })
                .toArray());
    }

    private LedgerTimer timer(LedgerRequest request) {
        return Objects.requireNonNull(timers.get(((LedgerRequest.Put) request.wish()).token()));
    }

    private LedgerLifetime lifetime(int number) {
        return Objects.requireNonNull(lifetimes.get(number), "lifetime");
    }

    private void broken(Kind kind, String key, String what) {
        report.add(new LedgerViolation(kind, key, what));
    }
}
