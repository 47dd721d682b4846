package io.tickwheel.server.crash;

import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** One version of a timer as far as it is known: the request for it, and its arrivals in their order. */
final class LedgerTimer {

    private final LedgerRequest request;
    private final LedgerRequest.Put wish;
    private final List<LedgerArrival> arrivals;
    private final Map<String, LedgerTimer> owners;

    /**
     * @param owners whose each id is, as far as answers and arrivals tell; filled when all timers are made
     */
    LedgerTimer(
            LedgerRequest request,
            LedgerRequest.Put wish,
            List<LedgerArrival> arrivals,
            Map<String, LedgerTimer> owners) {
        this.request = request;
        this.wish = wish;
        this.arrivals = arrivals;
        this.owners = owners;
    }

    LedgerRequest request() {
        return request;
    }

    String token() {
        return wish.token();
    }

    List<LedgerArrival> arrivals() {
        return arrivals;
    }

    boolean arrived() {
        return !arrivals.isEmpty();
    }

    boolean arrived(Predicate<LedgerArrival> when) {
        return arrivals.stream().anyMatch(when);
    }

    LedgerAnswer.@Nullable Made made() {
        return request.answer() instanceof LedgerAnswer.Made made ? made : null;
    }

    /** From the answer, else from an arrival, else null. */
    @Nullable
    String id() {
        LedgerAnswer.Made made = made();
        if (made != null) {
            return made.id();
        }
        return arrivals.isEmpty() ? null : arrivals.get(0).id();
    }

    /** The earliest moment at which it may arrive: as answered, else as the sender counts. */
    long dueAtMs() {
        LedgerAnswer.Made made = made();
        return made != null ? made.dueAtMs() : leastDueAtMs();
    }

    /** The server counts the delay from when it gets the request, which is not before the request was sent. */
    long leastDueAtMs() {
        return request.start().wallMs() + wish.delayMs();
    }

    /** The delay is rounded up to whole milliseconds, and counted from before the answer. */
    long greatestDueAtMs() {
        return request.end().wallMs() + wish.delayMs() + 1;
    }

    boolean mayBe(String seenId) {
        LedgerTimer owner = owners.get(seenId);
        return owner == null ? id() == null : owner == this;
    }

    @Override
    public String toString() {
        return wish.token();
    }
}
