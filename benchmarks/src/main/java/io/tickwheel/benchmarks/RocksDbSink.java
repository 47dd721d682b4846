package io.tickwheel.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.file.Path;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/** RocksDB as a calendar. Writes blindly: unlike Tickwheel it does not look for a live timer of the key, in its favour. */
final class RocksDbSink implements TimerSink {

    private static final int BATCH = 1_000;
    private static final long DELAY_MS = 3_600_000;

    private final byte[] payload;
    private final RocksDbCalendar calendar;

    RocksDbSink(Path directory, byte[] payload) throws RocksDBException {
        this.payload = payload;
        calendar = RocksDbCalendar.blind(directory);
    }

    @Override
    public void scheduleAll(int count) throws RocksDBException {
        try (WriteBatch batch = new WriteBatch()) {
            for (int i = 0; i < count; i++) {
                put(batch, "order-" + i);
                if (batch.count() == 2 * BATCH) {
                    calendar.write(batch);
                    batch.clear();
                }
            }
            calendar.write(batch);
        }
    }

    @Override
    public void schedule(String key) throws RocksDBException {
        try (WriteBatch batch = new WriteBatch()) {
            put(batch, key);
            calendar.write(batch);
        }
    }

    private void put(WriteBatch batch, String key) throws RocksDBException {
        calendar.put(batch, key.getBytes(UTF_8), System.currentTimeMillis() + DELAY_MS, payload);
    }

    @Override
    public void close() {
        calendar.close();
    }
}
