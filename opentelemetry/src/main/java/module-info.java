/** The attempts of an engine as spans of OpenTelemetry. */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) // OpenTelemetry has no modules yet
module io.tickwheel.opentelemetry {
    requires io.opentelemetry.api;
    requires io.opentelemetry.context;
    requires io.opentelemetry.sdk.common;
    requires transitive io.opentelemetry.sdk.trace;
    requires io.opentelemetry.sdk;
    requires io.opentelemetry.sdk.autoconfigure;
    requires io.opentelemetry.sdk.autoconfigure.spi;
    requires transitive io.tickwheel.engine;
    requires io.tickwheel.target.message;
    requires static transitive org.jspecify;
    requires org.slf4j;

    exports io.tickwheel.opentelemetry;
}
