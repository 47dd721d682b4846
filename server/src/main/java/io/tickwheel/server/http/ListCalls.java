package io.tickwheel.server.http;

import io.tickwheel.engine.DurationText;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.recurrence.Recurrence;
import io.tickwheel.server.wire.PlanJson;
import io.tickwheel.server.wire.ProblemCode;
import io.tickwheel.server.wire.TimeText;
import io.tickwheel.server.wire.TimerJson;
import io.tickwheel.store.DueCountQuery;
import io.tickwheel.store.DueCounts;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.TimerCursor;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The calls that look at many timers of a queue, or at the runs of one. */
final class ListCalls {

    private static final Set<String> LIST = Set.of("state", "keyPrefix", "dueFrom", "dueTo", "limit", "cursor");
    private static final Set<String> QUEUES = Set.of("limit", "after");
    private static final int MOST_QUEUES = 1_000;
    private static final Set<String> LOAD = Set.of("bucket", "buckets");
    private static final Duration BUCKET = Duration.ofMinutes(1);
    private static final Duration SHORTEST_BUCKET = Duration.ofMillis(DueCountQuery.MIN_BUCKET_MS);
    private static final Duration LONGEST_BUCKET = Duration.ofMillis(DueCountQuery.MAX_BUCKET_MS);
    private static final int BUCKETS = 60;
    private static final Set<String> PREVIEW = Set.of("limit");
    private static final int TIMES = 10;

    private final Readiness readiness;

    ListCalls(Readiness readiness) {
        this.readiness = readiness;
    }

    void list(Exchange exchange, String queue, String query) {
        TimerQuery asked = timerQuery(queue, QueryParameters.read(query, LIST));
        Tickwheel timers = readiness.timers();
        CompletableFuture<TimerPage> answer = TimerCalls.named(queue, asked.keyPrefix(), () -> timers.list(asked));
        exchange.await(answer, page -> exchange.answer(200, TimerJson.page(page, timers.durability())));
    }

    void queues(Exchange exchange, String query) {
        QueryParameters parameters = QueryParameters.read(query, QUEUES);
        int limit = parameters.number("limit", 1, MOST_QUEUES, MOST_QUEUES);
        String after = parameters.get("after");
        Tickwheel timers = readiness.timers();
        exchange.await(timers.queues(), all -> {
            List<QueueCounts> left = all.stream()
                    .filter(queue -> exchange.caller().sees(queue.queue()))
                    .filter(queue -> after == null || queue.queue().compareTo(after) > 0)
                    .sorted(Comparator.comparing(QueueCounts::queue))
                    .limit(limit + 1L)
                    .toList();
            boolean isLast = left.size() <= limit;
            List<QueueCounts> page = isLast ? left : left.subList(0, limit);
            exchange.answer(
                    200,
                    TimerJson.queues(
                            page,
                            queue ->
                                    Boolean.TRUE.equals(timers.settingsOf(queue).paused()),
                            isLast ? null : page.get(limit - 1).queue()));
        });
    }

    /** The next times of a plan. */
    void preview(Exchange exchange, String queue, String key, String query) {
        QueryParameters parameters = QueryParameters.read(query, PREVIEW);
        int limit = parameters.number("limit", 1, Recurrence.MAX_PREVIEW, TIMES);
        CompletableFuture<List<Instant>> answer =
                TimerCalls.named(queue, key, () -> readiness.timers().preview(queue, key, limit));
        exchange.await(answer, times -> exchange.answer(200, PlanJson.times(times)));
    }

    /** The last runs of a plan. */
    void runs(Exchange exchange, String queue, String key) {
        Tickwheel timers = readiness.timers();
        CompletableFuture<List<TimerView>> answer = TimerCalls.named(queue, key, () -> timers.runs(queue, key));
        exchange.await(answer, runs -> exchange.answer(200, PlanJson.runs(runs, timers.durability())));
    }

    void load(Exchange exchange, String queue, String query) {
        QueryParameters parameters = QueryParameters.read(query, LOAD);
        Duration bucket = bucket(parameters);
        int buckets = parameters.number("buckets", 1, DueCountQuery.MAX_BUCKETS, BUCKETS);
        CompletableFuture<DueCounts> answer =
                TimerCalls.named(queue, "", () -> readiness.timers().countDue(queue, bucket, buckets));
        exchange.await(answer, counts -> exchange.answer(200, TimerJson.load(queue, counts)));
    }

    static TimerQuery timerQuery(String queue, QueryParameters parameters) {
        TimerQuery query = TimerQuery.of(queue)
                .withLimit(parameters.number("limit", 1, TimerQuery.MAX_LIMIT, TimerQuery.DEFAULT_LIMIT));
        String state = parameters.get("state");
        if (state != null) {
            query = query.withState(state(parameters, state));
        }
        String keyPrefix = parameters.get("keyPrefix");
        if (keyPrefix != null) {
            query = query.withKeyPrefix(keyPrefix);
        }
        long fromMs = dueMs(parameters, "dueFrom", Long.MIN_VALUE);
        long toMs = dueMs(parameters, "dueTo", Long.MAX_VALUE);
        if (fromMs > toMs) {
            throw parameters.refused(ProblemCode.OUT_OF_RANGE, "dueFrom", "must not be later than dueTo");
        }
        query = query.withDue(fromMs, toMs);
        String cursor = parameters.get("cursor");
        return cursor == null ? query : query.withAfter(cursor(parameters, cursor));
    }

    private static TimerState state(QueryParameters parameters, String text) {
        return switch (text) {
            case "PENDING" -> TimerState.PENDING;
            case "CLAIMED" -> TimerState.CLAIMED;
            case "DEAD" -> TimerState.DEAD;
            default ->
                throw parameters.refused(ProblemCode.INVALID_CHOICE, "state", "must be PENDING, CLAIMED or DEAD");
        };
    }

    private static TimerCursor cursor(QueryParameters parameters, String text) {
        try {
            return TimerCursor.parse(text);
        } catch (IllegalArgumentException e) {
            throw parameters.refused(ProblemCode.INVALID_CURSOR, "cursor", "must be the next of a page");
        }
    }

    /** A time with a fraction of a millisecond is rounded up: due times are whole, so both ends mean the same as before. */
    private static long dueMs(QueryParameters parameters, String name, long absent) {
        String text = parameters.get(name);
        if (text == null) {
            return absent;
        }
        boolean number = text.matches("-?[0-9]{1,18}");
        Instant time;
        try {
            time = number ? TimeText.ofEpochMs(Long.parseLong(text)) : TimeText.parse(text);
        } catch (IllegalArgumentException e) {
            String rule = e.getMessage() + (number ? "" : ", or milliseconds since the epoch");
            throw parameters.refused(ProblemCode.INVALID_TIME, name, rule);
        }
        if (time.isBefore(TimerRequest.FIRST_DUE) || time.isAfter(TimerRequest.LAST_DUE)) {
            throw parameters.refused(
                    ProblemCode.OUT_OF_RANGE,
                    name,
                    "must be from " + TimerRequest.FIRST_DUE + " to " + TimerRequest.LAST_DUE);
        }
        return time.plusNanos(999_999).toEpochMilli();
    }

    private static Duration bucket(QueryParameters parameters) {
        String text = parameters.get("bucket");
        if (text == null) {
            return BUCKET;
        }
        Duration bucket;
        try {
            bucket = DurationText.parse(text);
        } catch (IllegalArgumentException e) {
            throw parameters.refused(ProblemCode.INVALID_DURATION, "bucket", e.getMessage());
        }
        boolean inRange = bucket.compareTo(SHORTEST_BUCKET) >= 0 && bucket.compareTo(LONGEST_BUCKET) <= 0;
        if (!inRange || !bucket.equals(Duration.ofMillis(bucket.toMillis()))) {
            throw parameters.refused(ProblemCode.OUT_OF_RANGE, "bucket", "must be 1s to 36500d, in whole milliseconds");
        }
        return bucket;
    }
}
