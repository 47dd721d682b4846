package io.tickwheel.store.redis.check;

import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.TimerRecord;
import io.tickwheel.store.redis.layout.Values;
import io.tickwheel.store.redis.link.Script;
import io.tickwheel.store.redis.query.BlockingQuery;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A partition that is verified: what is asked of it, and where goes what is found. Blocks. */
final class CheckedPartition {

    private static final Script SCAN = Script.reading("scan");

    final int index;
    final Tally tally;
    private final BlockingQuery query;
    private final Layout layout;
    private final int slot;

    CheckedPartition(BlockingQuery query, Layout layout, int index, Tally tally) {
        this.query = query;
        this.layout = layout;
        this.index = index;
        this.slot = layout.slot(index);
        this.tally = tally;
    }

    byte[] key(String name) {
        return layout.key(index, name);
    }

    /** Whether a timer is of this partition. */
    boolean has(byte[] field) {
        return layout.partition(field) == index;
    }

    List<?> ask(Script script, List<byte[]> keys, List<byte[]> arguments) {
        return query.ask(slot, script, keys, arguments);
    }

    List<?> ask(String command, List<byte[]> keys, List<byte[]> arguments) {
        return query.ask(slot, command, keys, arguments);
    }

    /** Gives the members or fields of a key, and what each has, in pieces; some may come twice. */
    void scan(String command, byte[] key, BiConsumer<byte[], byte[]> each) {
        query.scan(slot, command, key, each);
    }

    /** Gives the fields of all records, and how each record begins; some may come twice. */
    void scanRecords(BiConsumer<byte[], byte[]> each) {
        String cursor = "0";
        do {
            Values in = new Values(ask(SCAN, List.of(key("r")), List.of(Layout.bytes(cursor))));
            cursor = in.text();
            while (in.hasNext()) {
                each.accept(in.bytes(), in.bytes());
            }
        } while (!cursor.equals("0"));
    }

    /** A field as a key of a map: one character for each byte. */
    static String name(byte[] field) {
        return new String(field, StandardCharsets.ISO_8859_1);
    }

    /** The record, or null when it is none. */
    static @Nullable TimerRecord read(byte[] record) {
        try {
            return TimerRecord.read(ByteBuffer.wrap(record));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    Contradiction contradiction(String name, String field, String what) {
        return new Contradiction(OptionalInt.of(index), Layout.text(key(name)), field, what);
    }

    void found(String name, String field, String what) {
        tally.found(contradiction(name, field, what));
    }
}
