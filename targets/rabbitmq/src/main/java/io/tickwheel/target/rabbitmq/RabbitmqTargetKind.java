package io.tickwheel.target.rabbitmq;

import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.KindOption;
import io.tickwheel.engine.Target;
import io.tickwheel.engine.TargetFields;
import io.tickwheel.engine.TargetKind;
import io.tickwheel.engine.TargetOptions;
import io.tickwheel.target.message.OptionReader;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Exchanges of RabbitMQ: {@code {"rabbitmq": {"exchange": "orders", "routingKey": "order.unpaid"}}}. See {@code docs/targets/rabbitmq.md}. */
public final class RabbitmqTargetKind implements TargetKind {

    /** Opens nothing. */
    public RabbitmqTargetKind() {}

    static final String NAME = "rabbitmq";

    private static final String EXCHANGE = "exchange";
    private static final String ROUTING_KEY = "routingKey";
    private static final String PROPERTIES = "properties";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<String> fields() {
        return List.of(NAME);
    }

    @Override
    public String read(TargetFields fields) {
        TargetFields rabbitmq = fields.object(NAME, EXCHANGE, ROUTING_KEY, PROPERTIES);
        String exchange = name(rabbitmq, EXCHANGE);
        String routingKey = name(rabbitmq, ROUTING_KEY);
        if ("".equals(exchange) && routingKey == null) {
            throw rabbitmq.invalid(
                    EXCHANGE, InvalidTargetException.INVALID_TARGET, "must not be empty without a routingKey");
        }
        String properties = null;
        if (rabbitmq.has(PROPERTIES)) {
            try {
                properties = StoredProperties.write(StoredProperties.read(rabbitmq.text(PROPERTIES)));
            } catch (IllegalArgumentException e) {
                if (e instanceof InvalidTargetException) {
                    throw e;
                }
                throw rabbitmq.invalid(
                        PROPERTIES, InvalidTargetException.INVALID_TARGET, String.valueOf(e.getMessage()));
            }
        }
        return new RabbitmqAddress(exchange, routingKey, properties).text();
    }

    private static @Nullable String name(TargetFields rabbitmq, String field) {
        if (!rabbitmq.has(field)) {
            return null;
        }
        String name = rabbitmq.text(field);
        if (!RabbitmqAddress.fits(name)) {
            throw rabbitmq.invalid(field, InvalidTargetException.INVALID_TARGET, tooLong());
        }
        return name;
    }

    private static String tooLong() {
        return "must have at most " + RabbitmqAddress.MOST_NAME_BYTES + " bytes";
    }

    @Override
    public @Nullable Map<String, Object> write(String address) {
        RabbitmqAddress parsed;
        try {
            parsed = RabbitmqAddress.parse(address);
        } catch (IllegalArgumentException e) {
            return null;
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        put(fields, EXCHANGE, parsed.exchange());
        put(fields, ROUTING_KEY, parsed.routingKey());
        put(fields, PROPERTIES, parsed.properties());
        return Map.of(NAME, fields);
    }

    private static void put(Map<String, Object> fields, String name, @Nullable String value) {
        if (value != null) {
            fields.put(name, value);
        }
    }

    @Override
    public String readSetting(String text) {
        int blank = text.indexOf(' ');
        String exchange = text.isEmpty() ? null : blank < 0 ? text : text.substring(0, blank);
        String routingKey = blank < 0 ? null : text.substring(blank + 1);
        if (Stream.of(exchange == null ? "" : exchange, routingKey == null ? "" : routingKey)
                .anyMatch(name -> !RabbitmqAddress.fits(name))) {
            throw new InvalidTargetException(
                    InvalidTargetException.INVALID_TARGET, "exchange and routing key " + tooLong());
        }
        return new RabbitmqAddress(exchange, routingKey, null).text();
    }

    @Override
    public String settingForm() {
        return "rabbitmq, an exchange and a routing key";
    }

    @Override
    public List<KindOption> options() {
        return Stream.concat(BrokerOptions.options("none").stream(), RabbitmqTarget.OPTIONS.stream())
                .toList();
    }

    /** Connects with the first attempt; without an address of the broker, each attempt fails. */
    @Override
    public Target open(TargetOptions options) {
        OptionReader reader = new OptionReader(options);
        return RabbitmqTarget.open(reader, BrokerOptions.read(reader));
    }
}
