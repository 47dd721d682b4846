package io.tickwheel.server.crash;

import io.tickwheel.store.Scheduled;
import io.tickwheel.store.TimerState;
import org.jspecify.annotations.Nullable;

/** What the server said to a request, as its sender understood it. */
sealed interface LedgerAnswer {

    /** A timer was made. */
    record Made(String id, long version, long dueAtMs, Scheduled.Previous previous) implements LedgerAnswer {}

    /** The timer was cancelled; {@code id} is null when the answer does not name it. */
    record Cancelled(@Nullable String id) implements LedgerAnswer {}

    /** The timer was cancelled while an attempt runs, which is its last one. */
    record LastAttempt(@Nullable String id) implements LedgerAnswer {}

    /** It was too late to cancel; {@code state} is null when the answer does not say why. */
    record TooLate(@Nullable TimerState state) implements LedgerAnswer {}

    /** The server knows no timer of that key. */
    record NotFound() implements LedgerAnswer {}

    /** The timer of the key was looked at. */
    record Seen(String id, TimerState state) implements LedgerAnswer {}

    /** A definite no: nothing was done. */
    record Refused(String problem) implements LedgerAnswer {}

    /** No answer that can be relied on: what was asked may have been done, or may still be done by that server process. */
    record Unknown(String why) implements LedgerAnswer {}
}
