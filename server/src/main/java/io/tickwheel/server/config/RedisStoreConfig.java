package io.tickwheel.server.config;

import io.tickwheel.store.redis.RedisAddress;
import io.tickwheel.store.redis.RedisTimerStore;

/**
 * Timers on Redis or Valkey.
 *
 * @param address where it is
 * @param namespace under which name the timers lie there
 * @param store that address and namespace, with all the other options; has no secret in its text
 */
public record RedisStoreConfig(RedisAddress address, String namespace, RedisTimerStore store) implements StoreConfig {

    static final String DEFAULT_URI = "redis://127.0.0.1:6379";
    static final String DEFAULT_NAMESPACE = "tickwheel";

    @Override
    public String place() {
        return address + ", namespace " + namespace;
    }
}
