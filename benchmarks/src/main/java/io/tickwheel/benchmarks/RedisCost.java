package io.tickwheel.benchmarks;

import java.io.IOException;

/** What Redis and this process have used of the processors since a moment; the maker of the load is in this process. */
final class RedisCost {

    private final RedisUnderTest redis;
    private final double redisMicros;
    private final Cost client;

    private RedisCost(RedisUnderTest redis) throws IOException {
        this.redis = redis;
        this.redisMicros = redis.cpuMicros();
        this.client = Cost.now();
    }

    static RedisCost from(RedisUnderTest redis) throws IOException {
        return new RedisCost(redis);
    }

    void reportEach(String measure, String contender, long count, Results results) throws IOException {
        double clientMicros = Cost.since(client).cpuNanos() / 1e3;
        results.add(measure + ", Redis CPU us each", contender, (redis.cpuMicros() - redisMicros) / count);
        results.add(measure + ", client CPU us each", contender, clientMicros / count);
    }

    void reportShare(String measure, String contender, Results results) throws IOException {
        Cost used = Cost.since(client);
        double micros = used.nanos() / 1e3;
        results.add(measure + ", Redis, % of a core", contender, 100 * (redis.cpuMicros() - redisMicros) / micros);
        results.add(measure + ", client, % of a core", contender, 100.0 * used.cpuNanos() / used.nanos());
    }
}
