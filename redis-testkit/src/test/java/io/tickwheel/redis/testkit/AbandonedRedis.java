package io.tickwheel.redis.testkit;

import java.io.IOException;

/** A program that starts a server, says its process, and ends at the end of its input without closing it. */
final class AbandonedRedis {

    private AbandonedRedis() {}

    public static void main(String[] arguments) throws IOException {
        RedisServer redis = RedisServer.builder().start();
        System.out.println(redis.pid());
        System.in.transferTo(System.err);
    }
}
