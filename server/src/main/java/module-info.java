/** The server: timers over HTTP. */
@SuppressWarnings("requires-automatic") // Micrometer is no module of its own yet
module io.tickwheel.server {
    requires ch.qos.logback.classic;
    requires ch.qos.logback.core;
    requires com.fasterxml.jackson.core;
    requires info.picocli;
    requires io.netty.codec;
    requires io.netty.codec.http;
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.resolver.dns;
    requires io.netty.transport;
    requires io.smallrye.config;
    requires io.smallrye.config.source.yaml;
    requires io.tickwheel.engine;
    requires io.tickwheel.micrometer;
    requires io.tickwheel.opentelemetry;
    requires io.tickwheel.recurrence;
    requires io.tickwheel.store;
    requires io.tickwheel.store.file;
    requires io.tickwheel.store.redis;
    requires io.tickwheel.target.message;
    requires io.vertx.core;
    requires java.management;
    requires java.net.http;
    requires jdk.management;
    requires micrometer.core;
    requires micrometer.registry.prometheus;
    requires static transitive org.jspecify;
    requires jul.to.slf4j;
    requires org.slf4j;
    requires org.yaml.snakeyaml;

    exports io.tickwheel.server;

    uses io.tickwheel.engine.SourceKind;
    uses io.tickwheel.engine.TargetKind;

    opens io.tickwheel.server.cli to
            info.picocli;
}
