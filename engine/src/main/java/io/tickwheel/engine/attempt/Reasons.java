package io.tickwheel.engine.attempt;

import io.tickwheel.engine.Attempt;
import io.tickwheel.store.PastAttempt;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Why attempts did not succeed, and what receivers answered, as it is remembered with their timers. */
public final class Reasons {

    private static final String NONE_GIVEN = "no reason given";
    private static final String CUT = "...";
    private static final int MOST_NUMBER = 0xffff;

    private Reasons() {}

    /** What a target has said; an empty reason would stand for success. */
    static String given(@Nullable String reason) {
        return reason == null || reason.isBlank() ? NONE_GIVEN : reason;
    }

    /** An attempt as it is remembered. What is longer than can be told is told as the longest. */
    static PastAttempt past(
            Attempt attempt, long startedMs, long durationMs, int status, String reason, String excerpt) {
        return new PastAttempt(
                Math.min(attempt.number(), MOST_NUMBER),
                startedMs,
                between(startedMs - attempt.attemptAt().toEpochMilli(), PastAttempt.MOST_LATE_MS),
                between(durationMs, PastAttempt.MOST_DURATION_MS),
                status,
                cut(reason),
                excerpt);
    }

    /** An attempt that has succeeded at that time, and of which nothing else is known. */
    public static PastAttempt succeeded(int number, long endedMs) {
        return new PastAttempt(Math.min(number, MOST_NUMBER), endedMs, 0, 0, 0, "");
    }

    private static long between(long ms, long most) {
        return Math.max(0, Math.min(ms, most));
    }

    /** As much of a text as is remembered, ended by dots when that is not all. */
    public static String cut(String reason) {
        if (reason.isEmpty() || reason.getBytes(StandardCharsets.UTF_8).length <= PastAttempt.MOST_REASON_BYTES) {
            return reason;
        }
        int end = 0;
        int bytes = CUT.length();
        while (true) {
            int c = reason.codePointAt(end);
            bytes += c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
            if (bytes > PastAttempt.MOST_REASON_BYTES) {
                return reason.substring(0, end) + CUT;
            }
            end += Character.charCount(c);
        }
    }

    /** As much of the beginning of an answer as is remembered, in whole characters. */
    static String excerpt(String answer) {
        if (answer.isEmpty()) {
            return answer;
        }
        ByteBuffer bytes = ByteBuffer.allocate(PastAttempt.MOST_EXCERPT_BYTES);
        StandardCharsets.UTF_8
                .newEncoder()
                .onMalformedInput(CodingErrorAction.REPLACE)
                .encode(CharBuffer.wrap(answer), bytes, true);
        return StandardCharsets.UTF_8.decode(bytes.flip()).toString();
    }
}
