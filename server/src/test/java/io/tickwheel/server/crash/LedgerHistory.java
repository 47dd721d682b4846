package io.tickwheel.server.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.server.crash.LedgerViolation.Kind;
import io.tickwheel.store.Scheduled.Previous;
import io.tickwheel.store.TimerState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A history of one key made by hand, for the tests of the checker. Times are milliseconds, told in rising order; a request
 * takes one millisecond, or until the next kill when its outcome is unknown; a token {@code a} gets the id {@code id-a}; after a kill the next process is ready at once.
 */
final class LedgerHistory {

    private static final String KEY = "order-42";
    private static final long END_MS = 1_000_000;

    private final List<LedgerRequest> requests = new ArrayList<>();
    private final List<LedgerArrival> arrivals = new ArrayList<>();
    private final List<LedgerLifetime> lifetimes = new ArrayList<>();
    private final Map<String, LedgerAnswer.Made> answers = new HashMap<>();
    private final Map<String, Long> dueAtMs = new HashMap<>();
    private @Nullable LedgerRequest inDoubt;
    private LedgerMoment ready = moment(0);
    private long version = 1;

    Request put(String token) {
        return new Request(token);
    }

    Request cancel() {
        return new Request(new LedgerRequest.Cancel());
    }

    Request look() {
        return new Request(new LedgerRequest.Look());
    }

    /** The version that the next answer gives. */
    void version(long next) {
        version = next;
    }

    void killAt(long ms) {
        settleDoubt(moment(ms));
        lifetimes.add(new LedgerLifetime(lifetime(), ready, moment(ms)));
        ready = moment(ms);
    }

    void arrives(String token, long ms) {
        arrives(token, ms, dueAtMs.getOrDefault(token, ms));
    }

    void arrives(String token, long ms, long dueMs) {
        LedgerAnswer.Made made = answers.get(token);
        long itsVersion = made == null ? 1 : made.version();
        arrivals.add(new LedgerArrival(moment(ms), lifetime(), "id-" + token, KEY, itsVersion, 1, dueMs, token));
    }

    void arrivesAs(String token, String id, long itsVersion, long ms) {
        long dueMs = dueAtMs.getOrDefault(token, ms);
        arrivals.add(new LedgerArrival(moment(ms), lifetime(), id, KEY, itsVersion, 1, dueMs, token));
    }

    void finds(Kind... kinds) {
        LedgerReport report = check();
        assertThat(Kind.values())
                .as(report.summary())
                .filteredOn(kind -> report.number(kind) > 0)
                .containsExactlyInAnyOrder(kinds);
    }

    LedgerReport findsNothing() {
        LedgerReport report = check();
        assertThat(report.isClean()).as(report.summary()).isTrue();
        return report;
    }

    LedgerReport check() {
        if (inDoubt != null) {
            settleDoubt(inDoubt.end());
        }
        List<LedgerLifetime> all = new ArrayList<>(lifetimes);
        all.add(new LedgerLifetime(lifetime(), ready, null));
        return LedgerChecker.check(requests, arrivals, all, END_MS);
    }

    private void settleDoubt(LedgerMoment end) {
        LedgerRequest open = inDoubt;
        if (open != null) {
            requests.add(new LedgerRequest(KEY, open.wish(), open.lifetime(), open.start(), end, open.answer()));
            inDoubt = null;
        }
    }

    private int lifetime() {
        return lifetimes.size() + 1;
    }

    private static LedgerMoment moment(long ms) {
        return new LedgerMoment(ms, ms * 1_000_000);
    }

    /** A request under way; the last call says what became of it. */
    final class Request {
        private final @Nullable String token;
        private final LedgerRequest.@Nullable Wish wish;
        private long delayMs;
        private long atMs;

        private Request(String token) {
            this.token = token;
            this.wish = null;
        }

        private Request(LedgerRequest.Wish wish) {
            this.token = null;
            this.wish = wish;
        }

        Request in(long ms) {
            delayMs = ms;
            return this;
        }

        Request at(long ms) {
            atMs = ms;
            return this;
        }

        void made() {
            made(Previous.NONE);
        }

        void made(Previous previous) {
            madeDue(atMs + delayMs, previous);
        }

        void madeDue(long dueMs, Previous previous) {
            LedgerAnswer.Made made = new LedgerAnswer.Made("id-" + token, version++, dueMs, previous);
            answers.put(String.valueOf(token), made);
            answered(made);
        }

        void cancelled(@Nullable String ofToken) {
            answered(new LedgerAnswer.Cancelled(ofToken == null ? null : "id-" + ofToken));
        }

        void lastAttempt(String ofToken) {
            answered(new LedgerAnswer.LastAttempt("id-" + ofToken));
        }

        void tooLate(TimerState state) {
            answered(new LedgerAnswer.TooLate(state));
        }

        void notFound() {
            answered(new LedgerAnswer.NotFound());
        }

        void seen(String ofToken, TimerState state) {
            answered(new LedgerAnswer.Seen("id-" + ofToken, state));
        }

        void refused() {
            answered(new LedgerAnswer.Refused("400 by hand"));
        }

        void unknown() {
            answered(new LedgerAnswer.Unknown("by hand"));
        }

        private void answered(LedgerAnswer answer) {
            LedgerRequest.Wish asked = wish;
            if (token != null) {
                asked = new LedgerRequest.Put(token, delayMs);
                dueAtMs.put(token, answer instanceof LedgerAnswer.Made made ? made.dueAtMs() : atMs + delayMs);
            }
            LedgerRequest request = new LedgerRequest(
                    KEY, Objects.requireNonNull(asked), lifetime(), moment(atMs), moment(atMs + 1), answer);
            if (answer instanceof LedgerAnswer.Unknown) {
                inDoubt = request;
            } else {
                requests.add(request);
            }
        }
    }
}
