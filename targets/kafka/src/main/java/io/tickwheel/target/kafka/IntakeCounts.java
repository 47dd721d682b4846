package io.tickwheel.target.kafka;

import io.tickwheel.engine.SourceCounts;
import java.util.concurrent.atomic.AtomicLong;

/** What became of records since the source was opened. Thread-safe. */
final class IntakeCounts {

    final AtomicLong scheduled = new AtomicLong();
    final AtomicLong known = new AtomicLong();
    final AtomicLong refused = new AtomicLong();
    final AtomicLong postponed = new AtomicLong();

    SourceCounts now() {
        return new SourceCounts(scheduled.get(), known.get(), refused.get(), postponed.get());
    }
}
