package io.tickwheel.server.config;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Timers on Redis or Valkey: the settings {@code store.redis.*}. */
final class RedisStoreKind implements StoreKind {

    static final String NAME = "redis";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Setting> settings() {
        return RedisSettings.SETTINGS;
    }

    @Override
    public boolean isInList(String name) {
        return RedisSettings.isInList(name);
    }

    @Override
    public StoreConfig read(Function<String, @Nullable String> values) {
        return RedisSettings.read(values);
    }
}
