package io.tickwheel.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * The calendar that one would build on RocksDB: a column family ordered by due time, and one that finds the due time by key.
 * It writes blindly: unlike Tickwheel it does not look for a live timer of the key, which is in its favour. Callers that
 * write at once share a sync, as RocksDB groups them.
 */
final class RocksDbSink implements TimerSink {

    private static final int BATCH = 1_000;
    private static final long DELAY_MS = 3_600_000;

    private final byte[] payload;
    private final DBOptions options;
    private final ColumnFamilyOptions familyOptions = new ColumnFamilyOptions();
    private final WriteOptions synced = new WriteOptions().setSync(true);
    private final RocksDB db;
    private final List<ColumnFamilyHandle> families = new ArrayList<>();

    RocksDbSink(Path directory, byte[] payload) throws RocksDBException {
        this.payload = payload;
        options = new DBOptions()
                .setCreateIfMissing(true)
                .setCreateMissingColumnFamilies(true)
                .setIncreaseParallelism(Runtime.getRuntime().availableProcessors())
                .setRecycleLogFileNum(4);
        db = RocksDB.open(
                options,
                directory.toString(),
                List.of(
                        new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, familyOptions),
                        new ColumnFamilyDescriptor("by-key".getBytes(UTF_8), familyOptions)),
                families);
    }

    @Override
    public void scheduleAll(int count) throws RocksDBException {
        try (WriteBatch batch = new WriteBatch()) {
            for (int i = 0; i < count; i++) {
                put(batch, "order-" + i);
                if (batch.count() == 2 * BATCH) {
                    db.write(synced, batch);
                    batch.clear();
                }
            }
            db.write(synced, batch);
        }
    }

    @Override
    public void schedule(String key) throws RocksDBException {
        try (WriteBatch batch = new WriteBatch()) {
            put(batch, key);
            db.write(synced, batch);
        }
    }

    private void put(WriteBatch batch, String key) throws RocksDBException {
        byte[] name = key.getBytes(UTF_8);
        byte[] due = ByteBuffer.allocate(Long.BYTES)
                .putLong(System.currentTimeMillis() + DELAY_MS)
                .array();
        byte[] dueAndName =
                ByteBuffer.allocate(due.length + name.length).put(due).put(name).array();
        batch.put(families.get(0), dueAndName, payload);
        batch.put(families.get(1), name, due);
    }

    @Override
    public void close() {
        families.forEach(ColumnFamilyHandle::close);
        db.close();
        options.close();
        familyOptions.close();
        synced.close();
    }
}
