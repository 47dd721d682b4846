package io.tickwheel.benchmarks;

import org.apache.rocketmq.store.ha.DefaultHAService;

/** A broker without replicas: it opens no port for them, which would not be on the loopback interface. RocketMQ finds it. */
public final class NoHaService extends DefaultHAService {

    @Override
    public void start() {}

    @Override
    public void shutdown() {}
}
