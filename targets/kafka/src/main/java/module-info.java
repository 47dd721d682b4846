/** Timers that are delivered to topics of Apache Kafka, and timers that are made of its records. */
@SuppressWarnings("requires-automatic") // Kafka's client is no module of its own yet
module io.tickwheel.target.kafka {
    requires io.tickwheel.store;
    requires io.tickwheel.target.message;
    requires kafka.clients;
    requires static transitive org.jspecify;
    requires org.slf4j;
    requires transitive io.tickwheel.engine;

    exports io.tickwheel.target.kafka;

    provides io.tickwheel.engine.TargetKind with
            io.tickwheel.target.kafka.KafkaTargetKind;
    provides io.tickwheel.engine.SourceKind with
            io.tickwheel.target.kafka.KafkaSourceKind;
}
