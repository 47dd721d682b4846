package io.tickwheel.benchmarks.messages;

import io.tickwheel.benchmarks.Options;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** The message queues that can be measured. */
enum BrokerKind {
    KAFKA("kafka"),
    RABBITMQ("rabbitmq"),
    REDIS_STREAMS("redis-streams");

    final String title;

    BrokerKind(String title) {
        this.title = title;
    }

    /** Starts a broker whose data go into a folder. */
    Broker start(Path folder) throws Exception {
        return switch (this) {
            case KAFKA -> KafkaBroker.start(folder);
            case RABBITMQ -> RabbitmqBroker.start(folder);
            case REDIS_STREAMS -> RedisBroker.start();
        };
    }

    /** The kinds that {@code --brokers} names. */
    static List<BrokerKind> of(Options options, String otherwise) {
        return options.list("brokers", otherwise).stream()
                .map(BrokerKind::named)
                .toList();
    }

    private static BrokerKind named(String name) {
        return Arrays.stream(values())
                .filter(kind -> kind.title.equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no broker " + name));
    }
}
