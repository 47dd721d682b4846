package io.tickwheel.server;

import io.tickwheel.store.TimerStore;

/** Which store a server uses, and how it is set. Immutable. */
sealed interface StoreConfig permits FileStoreConfig, RedisStoreConfig {

    TimerStore store();

    /** Where the timers are, for people. */
    String place();
}
