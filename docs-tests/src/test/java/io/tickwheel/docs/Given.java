package io.tickwheel.docs;

import io.micrometer.core.instrument.MeterRegistry;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.TimerStore;
import io.tickwheel.wheel.WheelTimer;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;

/** What Java blocks may use without declaring it: what an application would have, and an engine where the block opens none. */
public abstract class Given {

    protected final Tickwheel timers = missing();
    protected final TimerStore store = missing();
    protected final WheelTimer timer = missing();
    protected final MeterRegistry registry = missing();
    protected final ScheduledExecutorService executor = missing();
    protected final Orders orders = missing();
    protected final Messages messages = missing();
    protected final Request request = missing();
    protected final OrderId id = new OrderId(42);
    protected final byte[] payload = {};

    protected Given() {}

    /** Blocks are compiled and not run; those that are run have nothing from here. */
    @SuppressWarnings("TypeParameterUnusedInFormals") // it gives nothing, so it gives nothing of a wrong type
    private static <T> T missing() {
        throw new IllegalStateException("blocks that are not marked with run are not run");
    }

    protected void closeIfUnpaid(OrderId order) {}

    /** The orders of a shop. */
    public interface Orders {

        void closeIfUnpaid(String order);

        void close(long order);

        void remind(String order, Duration age);
    }

    /** Instant messages. */
    public interface Messages {

        void send(String message);
    }

    /** A request that waits for an answer. */
    public interface Request {

        void fail(String reason);
    }

    /** The key of an order. */
    public record OrderId(long number) {}
}
