package io.tickwheel.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/** RocksDB as a calendar, in synced batches; nothing is delivered from it. */
final class RocksDbPlanSink implements PlanSink {

    private static final int BATCH = 1_000;

    private final RocksDbCalendar calendar;
    private final boolean keyed;

    private RocksDbPlanSink(RocksDbCalendar calendar, boolean keyed) {
        this.calendar = calendar;
        this.keyed = keyed;
    }

    /** Looks for the timer that a key has, and replaces it. */
    static RocksDbPlanSink keyed(Path directory) throws RocksDBException {
        return new RocksDbPlanSink(RocksDbCalendar.keyed(directory), true);
    }

    /** Takes it that each key is new. */
    static RocksDbPlanSink blind(Path directory) throws RocksDBException {
        return new RocksDbPlanSink(RocksDbCalendar.blind(directory), false);
    }

    @Override
    public void fill(TimerPlan plan, long first, int step, long end, Progress progress) throws RocksDBException {
        List<Long> numbers = new ArrayList<>(BATCH);
        for (long number = first; number < end; number += step) {
            numbers.add(number);
            if (numbers.size() == BATCH) {
                write(plan, numbers);
                progress.scheduled(numbers.size());
                numbers.clear();
            }
        }
        write(plan, numbers);
        progress.scheduled(numbers.size());
    }

    /** Schedules these timers; they are synced when it returns. */
    void write(TimerPlan plan, List<Long> numbers) throws RocksDBException {
        List<byte[]> keys =
                numbers.stream().map(number -> plan.key(number).getBytes(UTF_8)).toList();
        try (WriteBatch batch = new WriteBatch()) {
            if (keyed) {
                calendar.remove(batch, keys);
            }
            for (int i = 0; i < keys.size(); i++) {
                long number = numbers.get(i);
                calendar.put(batch, keys.get(i), plan.dueAtMs(number), TimerPlan.payload(number));
            }
            calendar.write(batch);
        }
    }

    @Override
    public void close() {
        calendar.close();
    }
}
