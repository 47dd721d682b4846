package io.tickwheel.store.redis;

import io.tickwheel.store.redis.link.ServerAddress;

/** What the link takes of an address, for tests of the link. */
public final class Servers {

    private Servers() {}

    public static ServerAddress of(RedisAddress address) {
        return address.servers();
    }
}
