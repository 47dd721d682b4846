package io.tickwheel.server.config;

import io.tickwheel.store.TimerStore;

/** Which store a server uses, and how it is set. Immutable. */
public sealed interface StoreConfig permits FileStoreConfig, RedisStoreConfig {

    TimerStore store();

    /** Where the timers are, for people. */
    String place();
}
