package io.tickwheel.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * The calendar that one would build on RocksDB: a column family ordered by due time and key, and one that finds the due time
 * by key. Thread-safe as long as no two threads write one key.
 */
final class RocksDbCalendar implements AutoCloseable {

    static {
        RocksDB.loadLibrary();
    }

    private static final int BLOOM_BITS = 10;

    private final ColumnFamilyOptions byDueOptions = new ColumnFamilyOptions();
    private final ColumnFamilyOptions byKeyOptions = new ColumnFamilyOptions();
    private final WriteOptions synced = new WriteOptions().setSync(true);
    private final DBOptions options;
    private final RocksDB db;
    private final List<ColumnFamilyHandle> families = new ArrayList<>();

    /** For {@link #put} alone. */
    static RocksDbCalendar blind(Path directory) throws RocksDBException {
        return new RocksDbCalendar(directory, new BlockBasedTableConfig());
    }

    /** For {@link #remove} too: with a Bloom filter, since most keys are new. */
    static RocksDbCalendar keyed(Path directory) throws RocksDBException {
        return new RocksDbCalendar(directory, new BlockBasedTableConfig().setFilterPolicy(new BloomFilter(BLOOM_BITS)));
    }

    private RocksDbCalendar(Path directory, BlockBasedTableConfig byKeyTable) throws RocksDBException {
        byKeyOptions.setTableFormatConfig(byKeyTable);
        options = new DBOptions()
                .setCreateIfMissing(true)
                .setCreateMissingColumnFamilies(true)
                .setIncreaseParallelism(Runtime.getRuntime().availableProcessors())
                .setRecycleLogFileNum(4);
        db = RocksDB.open(
                options,
                directory.toString(),
                List.of(
                        new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, byDueOptions),
                        new ColumnFamilyDescriptor("by-key".getBytes(UTF_8), byKeyOptions)),
                families);
    }

    /** Writes a timer without a look at what its key had before. */
    void put(WriteBatch batch, byte[] key, long dueAtMs, byte[] payload) throws RocksDBException {
        byte[] due = ByteBuffer.allocate(Long.BYTES).putLong(dueAtMs).array();
        batch.put(families.get(0), dueAndKey(due, key), payload);
        batch.put(families.get(1), key, due);
    }

    /** Takes out what each of the keys had before, looked up all at once. */
    void remove(WriteBatch batch, List<byte[]> keys) throws RocksDBException {
        List<ColumnFamilyHandle> byKey = Collections.nCopies(keys.size(), families.get(1));
        List<byte @Nullable []> dues = db.multiGetAsList(byKey, keys);
        for (int i = 0; i < keys.size(); i++) {
            byte[] due = dues.get(i);
            if (due != null) {
                batch.delete(families.get(0), dueAndKey(due, keys.get(i)));
            }
        }
    }

    /** Writes and syncs; threads that do so at once share a sync. */
    void write(WriteBatch batch) throws RocksDBException {
        db.write(synced, batch);
    }

    @Override
    public void close() {
        families.forEach(ColumnFamilyHandle::close);
        db.close();
        options.close();
        byDueOptions.close();
        byKeyOptions.close();
        synced.close();
    }

    private static byte[] dueAndKey(byte[] due, byte[] key) {
        return ByteBuffer.allocate(due.length + key.length).put(due).put(key).array();
    }
}
