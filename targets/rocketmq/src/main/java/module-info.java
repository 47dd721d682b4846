/** Delivers timers to topics of Apache RocketMQ. */
@SuppressWarnings("requires-automatic") // RocketMQ's client is no module of its own yet
module io.tickwheel.target.rocketmq {
    requires io.tickwheel.target.message;
    requires static transitive org.jspecify;
    requires org.slf4j;
    requires rocketmq.client.java;
    requires transitive io.tickwheel.engine;

    exports io.tickwheel.target.rocketmq;

    provides io.tickwheel.engine.TargetKind with
            io.tickwheel.target.rocketmq.RocketmqTargetKind;
}
