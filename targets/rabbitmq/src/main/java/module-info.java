/** Timers that are delivered to RabbitMQ, and timers that are made of its messages. */
@SuppressWarnings("requires-automatic") // the client is no module of its own yet
module io.tickwheel.target.rabbitmq {
    requires com.rabbitmq.client;
    requires transitive io.tickwheel.engine;
    requires io.tickwheel.store;
    requires io.tickwheel.target.message;
    requires static transitive org.jspecify;
    requires org.slf4j;

    exports io.tickwheel.target.rabbitmq;

    provides io.tickwheel.engine.TargetKind with
            io.tickwheel.target.rabbitmq.RabbitmqTargetKind;
    provides io.tickwheel.engine.SourceKind with
            io.tickwheel.target.rabbitmq.RabbitmqSourceKind;
}
