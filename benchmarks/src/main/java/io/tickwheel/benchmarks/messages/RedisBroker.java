package io.tickwheel.benchmarks.messages;

import io.tickwheel.engine.TargetKind;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.target.redis.RedisStreamTargetKind;
import java.util.Map;
import java.util.Objects;

/** A Redis that saves nothing, with a stream that keeps all entries. */
final class RedisBroker implements Broker {

    private final RedisServer server;

    private RedisBroker(RedisServer server) {
        this.server = server;
    }

    static Broker start() {
        return new RedisBroker(RedisServer.builder().start());
    }

    @Override
    public TargetKind kind() {
        return new RedisStreamTargetKind();
    }

    @Override
    public Map<String, String> options() {
        return Map.of("uri", "redis://127.0.0.1:" + server.port());
    }

    @Override
    public long messages() {
        return (Long) Objects.requireNonNull(server.command("XLEN", PLACE));
    }

    @Override
    public void close() {
        server.close();
    }
}
