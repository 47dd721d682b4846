package io.tickwheel.store.redis.query;

import io.tickwheel.store.Answer;
import io.tickwheel.store.DueCountQuery;
import io.tickwheel.store.DueCounts;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.TimerRecord;
import io.tickwheel.store.redis.layout.Values;
import io.tickwheel.store.redis.link.Script;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Counts what comes due, partition by partition and there from the first due time on. A piece has what is waiting and what is
 * in flight of a stretch of time, at one moment, so that a timer that is claimed meanwhile is counted once. Due times that a
 * double does not hold, of 53 bits and more, fall into their bucket or the one beside it.
 */
final class DueCounting extends Query {

    private static final Script COUNT = Script.reading("count");
    private static final int SLICES = 128;
    private static final int LOOKS = 200;

    private final Layout layout;
    private final DueCountQuery query;
    private final Answer<DueCounts> answer;
    private final byte[] fieldPrefix;
    private final long[] counts;
    private final ArrayDeque<Part> toAsk = new ArrayDeque<>();

    /** How far one partition is counted. */
    private static final class Part {

        final int partition;

        /** Everything due before is counted. */
        long fromMs;

        /** Slices that begin before this are known. */
        long knownToMs;

        final List<String> slices = new ArrayList<>();

        /** Behind which of those in flight the rest is to be counted, when there are many. */
        byte[] flightScore = new byte[0];

        byte[] flightField = new byte[0];

        Part(int partition, long fromMs) {
            this.partition = partition;
            this.fromMs = fromMs;
            this.knownToMs = fromMs;
        }
    }

    DueCounting(Asker asker, Layout layout, DueCountQuery query, Answer<DueCounts> answer) {
        super(asker);
        this.layout = layout;
        this.query = query;
        this.answer = answer;
        this.fieldPrefix = query.queue() == null ? new byte[0] : Layout.queuePrefix(query.queue());
        this.counts = new long[query.buckets()];
        for (int p = 0; p < layout.partitions; p++) {
            toAsk.add(new Part(p, query.fromMs()));
        }
    }

    @Override
    boolean askNext() {
        Part part = toAsk.poll();
        if (part == null) {
            return false;
        }
        if (part.fromMs == query.toMs()) {
            askFlight(part);
        } else if (part.knownToMs == part.fromMs) {
            askDirectory(part);
        } else {
            askCounts(part);
        }
        return true;
    }

    private void askDirectory(Part part) {
        List<byte[]> arguments = ReadScript.onlyDirectory(
                Long.toString(Layout.lowestSliceFromMs(part.fromMs)), query.toMs() - 1, SLICES);
        ask(ReadScript.call(layout, part.partition, arguments, List.of(), reply -> {
            readDirectory(part, new Values(new Values(reply).list()));
            toAsk.addFirst(part);
        }));
    }

    private void readDirectory(Part part, Values in) {
        part.slices.clear();
        int count = 0;
        long lastFromMs = part.fromMs;
        while (in.hasNext()) {
            String slice = in.text();
            lastFromMs = (long) Layout.score(in.bytes());
            count++;
            if (Layout.sliceLastMs(slice) >= part.fromMs) {
                part.slices.add(slice);
            }
        }
        // Of two slices that begin together, the piece may have one.
        part.knownToMs = count < SLICES ? query.toMs() : lastFromMs;
    }

    private void askCounts(Part part) {
        long toMs = part.knownToMs;
        while (cost(part, toMs) > LOOKS && toMs - part.fromMs > 1) {
            toMs = part.fromMs + (toMs - part.fromMs) / 2;
        }
        List<byte[]> keys = new ArrayList<>();
        for (String name : List.of("r", "i", "f")) {
            keys.add(layout.key(part.partition, name));
        }
        for (String slice : part.slices) {
            if (touches(slice, part.fromMs, toMs)) {
                keys.add(layout.key(part.partition, "z" + slice));
            }
        }
        List<byte[]> arguments = List.of(
                fieldPrefix,
                text(part.fromMs),
                text(toMs),
                text(query.fromMs()),
                text(query.bucketMs()),
                text(LOOKS),
                layout.key(part.partition, "z"));
        ask(new QueryCall(
                layout.slot(part.partition), COUNT, "", keys, arguments, reply -> readCounts(part, new Values(reply))));
    }

    /** How many commands it takes at most, beside the members of a queue. */
    private long cost(Part part, long toMs) {
        long cost = 0;
        for (String slice : part.slices) {
            if (touches(slice, part.fromMs, toMs)) {
                long first = Math.max(part.fromMs, Layout.sliceFromMs(slice));
                long last = Math.min(toMs - 1, Layout.sliceLastMs(slice));
                cost += query.queue() == null ? bucket(last) - bucket(first) + 1 : 2;
            }
        }
        return cost;
    }

    private static boolean touches(String slice, long fromMs, long toMs) {
        return Layout.sliceFromMs(slice) < toMs && Layout.sliceLastMs(slice) >= fromMs;
    }

    private long bucket(long dueAtMs) {
        return (dueAtMs - query.fromMs()) / query.bucketMs();
    }

    private void readCounts(Part part, Values in) {
        if (!in.hasNext()) {
            // There is a slice more than before.
            part.knownToMs = part.fromMs;
            toAsk.addFirst(part);
            return;
        }
        part.fromMs = in.number();
        part.flightScore = in.bytes();
        part.flightField = in.bytes();
        while (in.hasNext()) {
            long bucket = in.integer();
            add(bucket, in.integer());
        }
        if (part.fromMs < query.toMs() || part.flightScore.length > 0) {
            toAsk.add(part);
        }
    }

    private void add(long bucket, long count) {
        counts[(int) Math.min(Math.max(bucket, 0), counts.length - 1)] += count;
    }

    private void askFlight(Part part) {
        List<byte[]> arguments = ReadScript.onlyFlight(fieldPrefix, part.flightScore, part.flightField);
        ask(ReadScript.call(layout, part.partition, arguments, List.of(), reply -> {
            Values lists = new Values(reply);
            lists.list();
            readFlight(part, new Values(lists.list()));
        }));
    }

    private void readFlight(Part part, Values in) {
        boolean ended = in.integer() == 1;
        part.flightScore = in.bytes();
        part.flightField = in.bytes();
        in.integer();
        while (in.hasNext()) {
            in.bytes();
            long dueAtMs = TimerRecord.read(ByteBuffer.wrap(in.bytes())).attemptAtMs();
            if (dueAtMs >= query.fromMs() && dueAtMs < query.toMs()) {
                add(bucket(dueAtMs), 1);
            }
        }
        if (!ended) {
            toAsk.add(part);
        }
    }

    private static byte[] text(long number) {
        return Layout.bytes(Long.toString(number));
    }

    @Override
    void finish() {
        answer.accept(new DueCounts(
                query.fromMs(), query.bucketMs(), Arrays.stream(counts).boxed().toList()));
    }

    @Override
    void fail(StoreException failure) {
        answer.fail(failure);
    }
}
