package io.tickwheel.store.redis.query;

import io.tickwheel.store.Answer;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Values;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts of queues: those of all partitions, added up. A partition with many queues is read in pieces.
 */
final class QueueCounting extends Query {

    private static final String PIECE = "512";

    private final Layout layout;
    private final Answer<List<QueueCounts>> answer;
    private final ArrayDeque<Piece> toAsk = new ArrayDeque<>();
    private final TreeMap<String, long[]> queues = new TreeMap<>();

    /** @param counts those that came so far: a field can come twice */
    private record Piece(int partition, String cursor, Map<String, Long> counts) {}

    QueueCounting(Asker asker, Layout layout, Answer<List<QueueCounts>> answer) {
        super(asker);
        this.layout = layout;
        this.answer = answer;
        for (int p = 0; p < layout.partitions; p++) {
            toAsk.add(new Piece(p, "0", new HashMap<>()));
        }
    }

    @Override
    boolean askNext() {
        Piece piece = toAsk.poll();
        if (piece == null) {
            return false;
        }
        ask(new QueryCall(
                layout.slot(piece.partition),
                null,
                "HSCAN",
                List.of(layout.key(piece.partition, "q")),
                List.of(Layout.bytes(piece.cursor), Layout.bytes("COUNT"), Layout.bytes(PIECE)),
                reply -> read(piece, reply)));
        return true;
    }

    private void read(Piece piece, List<?> reply) {
        Values in = new Values(reply);
        String cursor = in.text();
        Values fields = new Values(in.list());
        while (fields.hasNext()) {
            piece.counts.put(fields.text(), fields.number());
        }
        if (cursor.equals("0")) {
            piece.counts.forEach(this::add);
        } else {
            toAsk.add(new Piece(piece.partition, cursor, piece.counts));
        }
    }

    private void add(String field, long count) {
        int state = field.isEmpty() ? -1 : "pcd".indexOf(field.charAt(0));
        if (state < 0) {
            throw new IllegalArgumentException("a count of queues is named " + field);
        }
        queues.computeIfAbsent(field.substring(1), queue -> new long[3])[state] += count;
    }

    @Override
    void finish() {
        List<QueueCounts> counts = new ArrayList<>();
        queues.forEach((queue, each) -> counts.add(new QueueCounts(queue, each[0], each[1], each[2])));
        answer.accept(counts);
    }

    @Override
    void fail(StoreException failure) {
        answer.fail(failure);
    }
}
