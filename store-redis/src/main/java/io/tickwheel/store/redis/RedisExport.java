package io.tickwheel.store.redis;

import io.tickwheel.store.StoreException;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.redis.check.NamespaceCheck;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.TimerRecord;
import io.tickwheel.store.redis.link.Link;
import io.tickwheel.store.redis.query.BlockingQuery;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;

/**
 * Reads the timers of a namespace, while nodes may go on: changes nothing. A timer that is there all the time is read once; one
 * that comes, goes or changes meanwhile is read as it stood at one moment, or not at all.
 */
public final class RedisExport {

    /** Takes one timer after the other. */
    @FunctionalInterface
    public interface Receiver {

        /**
         * Takes a timer.
         *
         * @param content what it delivers, opaque to the store
         */
        void take(TimerView timer, byte[] content);
    }

    private RedisExport() {}

    /**
     * Reads the pending, claimed and dead timers, in no order. Blocks until it is done. Needs room for the names of the timers of
     * one partition.
     *
     * @throws io.tickwheel.store.StoreUnavailableException when Redis does not answer
     * @throws StoreException when there is no such namespace, or one of another format, or a timer cannot be read
     */
    public static void read(RedisAddress address, String namespace, Receiver receiver) {
        try (Link link = ToolLink.open(address)) {
            BlockingQuery query = new BlockingQuery(link, ToolLink.TIMEOUT);
            Layout layout = NamespaceCheck.layout(query, namespace);
            for (int p = 0; p < layout.partitions; p++) {
                read(query, layout, p, receiver);
            }
        }
    }

    private static void read(BlockingQuery query, Layout layout, int partition, Receiver receiver) {
        Set<String> seen = new HashSet<>();
        query.scan(layout.slot(partition), "HSCAN", layout.key(partition, "r"), (field, bytes) -> {
            TimerRecord record;
            try {
                record = TimerRecord.read(ByteBuffer.wrap(bytes));
            } catch (IllegalArgumentException e) {
                throw new StoreException("partition " + partition + " has a record that cannot be read", e);
            }
            boolean wanted = record.isLive() || record.state() == TimerState.DEAD;
            if (wanted && seen.add(new String(field, StandardCharsets.ISO_8859_1))) {
                receiver.take(record.view(Layout.timerKey(field), partition), record.content());
            }
        });
    }
}
