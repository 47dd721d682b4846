package io.tickwheel.engine.bulk;

import io.tickwheel.engine.BulkProgress;
import io.tickwheel.engine.BulkRequest;
import io.tickwheel.engine.BulkView;
import io.tickwheel.store.TimerCursor;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A bulk run as it is stored: what was asked for, and how far it has come. One line for each fact, texts in base64, times in milliseconds since the epoch. Every
 * later version must read it; a line that this version does not know was written by a later one, and is passed over.
 *
 * <pre>
 *   request REDRIVE 500 false
 *   timers DEAD -9223372036854775808 9223372036854775807 cQ== b3JkZXIt SFRUUCA1MDM=     (state, from, to, queue, key prefix, reason)
 *   progress RUNNING 1200 1198 2 1764000000000           (state, matched, changed, passed, started, and when it has: ended)
 *   cause 1200 SFRUUCA1MDM=
 *   failure ...
 *   after AQAAAZqmrQ4AAAAAAAAAKhj0zhsx
 *   stop true
 * </pre>
 *
 * @param after where the list goes on; null at its beginning
 * @param stopWanted whether somebody has asked it to end
 */
record BulkDocument(
        String id,
        BulkRequest request,
        BulkProgress progress,
        @Nullable TimerCursor after,
        boolean stopWanted) {

    private static final String NO_STATE = "-";
    private static final int OF_REQUEST = 3;
    private static final int OF_TIMERS = 6;
    private static final int OF_PROGRESS = 5;

    BulkView view() {
        return new BulkView(id, request, progress);
    }

    boolean isRunning() {
        return progress.state() == BulkProgress.State.RUNNING;
    }

    BulkDocument withStopWanted() {
        return new BulkDocument(id, request, progress, after, true);
    }

    byte[] write() {
        TimerQuery timers = request.timers();
        StringBuilder text = new StringBuilder();
        line(text, "request", request.action(), request.perSecond(), request.dryRun());
        line(
                text,
                "timers",
                timers.state() == null ? NO_STATE : timers.state(),
                timers.dueFromMs(),
                timers.dueToMs(),
                encoded(timers.queue()),
                encoded(timers.keyPrefix()),
                encoded(request.reason()));
        line(
                text,
                "progress",
                progress.state(),
                progress.matched(),
                progress.changed(),
                progress.passed(),
                progress.startedAt().toEpochMilli(),
                progress.endedAt() == null ? "" : progress.endedAt().toEpochMilli());
        progress.reasons().forEach((reason, count) -> line(text, "cause", count, encoded(reason)));
        if (progress.failure() != null) {
            line(text, "failure", encoded(progress.failure()));
        }
        if (after != null) {
            line(text, "after", after.text());
        }
        if (stopWanted) {
            line(text, "stop", true);
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void line(StringBuilder text, String name, Object... values) {
        text.append(name);
        for (Object value : values) {
            text.append(' ').append(value);
        }
        text.append('\n');
    }

    private static String encoded(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String decoded(String text) {
        return new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8);
    }

    /**
     * Reads what {@link #write} wrote.
     *
     * @throws IllegalArgumentException when a line is none of these, with the line, or one is missing
     */
    static BulkDocument read(String id, byte[] bytes) {
        Reading reading = new Reading();
        for (String line : new String(bytes, StandardCharsets.UTF_8).split("\n", 0)) {
            try {
                reading.take(line.split(" ", -1));
            } catch (RuntimeException e) {
                throw new IllegalArgumentException(
                        "the line of a bulk run \"" + line + "\" cannot be read: " + e.getMessage(), e);
            }
        }
        return reading.document(id);
    }

    /** What the lines so far have said. */
    private static final class Reading {

        private String @Nullable [] request;
        private String @Nullable [] timers;
        private String @Nullable [] progress;
        private final Map<String, Long> reasons = new LinkedHashMap<>();
        private @Nullable String failure;
        private @Nullable TimerCursor after;
        private boolean stopWanted;

        void take(String[] words) {
            switch (words[0]) {
                case "request" -> request = atLeast(words, OF_REQUEST);
                case "timers" -> timers = atLeast(words, OF_TIMERS);
                case "progress" -> progress = atLeast(words, OF_PROGRESS);
                case "cause" -> reasons.put(decoded(words[2]), Long.valueOf(words[1]));
                case "failure" -> failure = decoded(words[1]);
                case "after" -> after = TimerCursor.parse(words[1]);
                case "stop" -> stopWanted = true;
                default -> {
                    // Of a later version.
                }
            }
        }

        private static String[] atLeast(String[] words, int values) {
            if (words.length <= values) {
                throw new IllegalArgumentException(
                        "there are " + (words.length - 1) + " values, must be at least " + values);
            }
            return words;
        }

        BulkDocument document(String id) {
            String[] asked = request;
            String[] which = timers;
            String[] come = progress;
            if (asked == null || which == null || come == null) {
                throw new IllegalArgumentException("a bulk run must have lines of request, timers and progress");
            }
            TimerQuery query = new TimerQuery(
                    decoded(which[4]),
                    which[1].equals(NO_STATE) ? null : TimerState.valueOf(which[1]),
                    decoded(which[5]),
                    Long.parseLong(which[2]),
                    Long.parseLong(which[3]),
                    TimerQuery.DEFAULT_LIMIT,
                    null);
            boolean hasEnded = come.length > OF_PROGRESS + 1 && !come[OF_PROGRESS + 1].isEmpty();
            return new BulkDocument(
                    id,
                    new BulkRequest(
                            BulkRequest.Action.valueOf(asked[1]),
                            query,
                            decoded(which[6]),
                            Integer.parseInt(asked[2]),
                            Boolean.parseBoolean(asked[3])),
                    new BulkProgress(
                            BulkProgress.State.valueOf(come[1]),
                            Long.parseLong(come[2]),
                            Long.parseLong(come[3]),
                            Long.parseLong(come[4]),
                            reasons,
                            Instant.ofEpochMilli(Long.parseLong(come[5])),
                            hasEnded ? Instant.ofEpochMilli(Long.parseLong(come[6])) : null,
                            failure),
                    after,
                    stopWanted);
        }
    }
}
