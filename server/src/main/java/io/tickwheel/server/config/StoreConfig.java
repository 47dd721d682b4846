package io.tickwheel.server.config;

import io.tickwheel.store.TimerStore;
import io.tickwheel.store.TimerView;
import java.util.function.BiConsumer;

/** Which store a server uses, how it is set, and what the commands do with it. Immutable. */
public interface StoreConfig {

    /** The store that the engine opens. */
    TimerStore store();

    /** Where the timers are, for people. */
    String place();

    /**
     * Reads all of the store and tells what is wrong. Changes nothing; servers may have it open.
     *
     * @param watch told how far it has come
     */
    StoreFindings verify(StoreWatch watch);

    /**
     * Reads all live and dead timers, in no order.
     *
     * @param to takes each with its content
     */
    void export(BiConsumer<TimerView, byte[]> to);
}
