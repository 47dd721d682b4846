package io.tickwheel.store.redis.namespace;

import io.tickwheel.store.StoreClock;
import io.tickwheel.store.redis.layout.Text;
import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.Link;
import io.tickwheel.store.redis.link.Reply;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The clock of the server, as this node knows it: the server's time when it answered lies between the sending and the reply,
 * so the sample with the shortest way is the best. One that contradicts it shows that the server's clock was stepped, and is
 * the first of a new window. Samples are taken by the loop; the clock is read by any thread.
 */
public final class StoreTime implements StoreClock {

    private static final Logger LOG = LoggerFactory.getLogger(StoreTime.class);

    private static final long INTERVAL_NANOS = 500_000_000;

    /** How many samples the best one is chosen of: both clocks drift, so old ones are worth less. */
    private static final int WINDOW = 16;

    /** Clocks drift apart by less while a window lasts. */
    private static final long DRIFT_NANOS = 5_000_000;

    private record Sample(long monoNanos, long serverMicros, long wayNanos) {

        long offsetNanos() {
            return serverMicros * 1_000 - monoNanos;
        }

        /** Whether no clock that goes steadily can have given both. */
        boolean contradicts(Sample other) {
            return Math.abs(offsetNanos() - other.offsetNanos()) > (wayNanos + other.wayNanos) / 2 + DRIFT_NANOS;
        }
    }

    private final int homeSlot;
    private final LongSupplier monoNanos;
    private final Sample[] window = new Sample[WINDOW];
    private int taken;
    private long connection;
    private long nextNanos;
    private boolean asked;
    private volatile Sample best = new Sample(0, 0, Long.MAX_VALUE);

    /** @param homeSlot whose master is asked */
    public StoreTime(int homeSlot, LongSupplier monoNanos) {
        this.homeSlot = homeSlot;
        this.monoNanos = monoNanos;
        this.nextNanos = monoNanos.getAsLong();
    }

    @Override
    public Instant at(long mono) {
        Sample sample = best;
        return Instant.EPOCH.plus(sample.serverMicros, ChronoUnit.MICROS).plusNanos(mono - sample.monoNanos);
    }

    /** The server's time in milliseconds. */
    public long nowMs() {
        return at(monoNanos.getAsLong()).toEpochMilli();
    }

    /** Asks for the time when it is due. */
    public void work(long nowNanos, Link link) {
        if (!asked && nowNanos - nextNanos >= 0) {
            asked = true;
            link.send(new Question());
        }
    }

    /** Has it asked soon: something does not fit the time that is known. */
    public void doubt() {
        nextNanos = monoNanos.getAsLong();
    }

    /** The next question, for {@link Link#await}. */
    public Call question() {
        return new Question();
    }

    private final class Question extends Call {

        private final long sentNanos = monoNanos.getAsLong();

        Question() {
            super(homeSlot, "TIME", List.of(), List.of());
        }

        @Override
        public void answered(Reply reply) {
            long nowNanos = monoNanos.getAsLong();
            asked = false;
            nextNanos = nowNanos + INTERVAL_NANOS;
            if (reply.outcome() != Reply.Outcome.DONE || !(reply.value() instanceof List<?> time)) {
                return;
            }
            if (reply.connection() != connection) {
                // Another server, perhaps, with a clock of its own.
                connection = reply.connection();
                taken = 0;
            }
            long micros = Text.number((byte[]) time.get(0)) * 1_000_000 + Text.number((byte[]) time.get(1));
            long way = nowNanos - sentNanos;
            Sample sample = new Sample(nowNanos - way / 2, micros, way);
            if (taken > 0 && sample.contradicts(best)) {
                LOG.warn(
                        "the clock of Redis was stepped by {} ms",
                        (sample.offsetNanos() - best.offsetNanos()) / 1_000_000);
                taken = 0;
            }
            window[taken++ % WINDOW] = sample;
            Sample shortest = window[0];
            for (int i = 1; i < Math.min(taken, WINDOW); i++) {
                shortest = window[i].wayNanos < shortest.wayNanos ? window[i] : shortest;
            }
            best = shortest;
        }
    }
}
