package io.tickwheel.server.config;

import io.tickwheel.store.TimerView;
import io.tickwheel.store.redis.RedisAddress;
import io.tickwheel.store.redis.RedisExport;
import io.tickwheel.store.redis.RedisTimerStore;
import io.tickwheel.store.redis.RedisVerification;
import java.util.function.BiConsumer;

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

    @Override
    public StoreFindings verify(StoreWatch watch) {
        return new RedisFindings(RedisVerification.verify(address, namespace, watch::partitions));
    }

    @Override
    public void export(BiConsumer<TimerView, byte[]> to) {
        RedisExport.read(address, namespace, to::accept);
    }
}
