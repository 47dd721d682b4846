package io.tickwheel.target.kafka;

import io.tickwheel.engine.KindOption;
import io.tickwheel.engine.Source;
import io.tickwheel.engine.SourceKind;
import io.tickwheel.engine.SourceOptions;
import io.tickwheel.engine.TargetOptions;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.target.message.OptionReader;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;

/** Topics of records with a delay in a header: each becomes a timer, and then a record of the real topic. See {@code docs/targets/kafka.md}. */
public final class KafkaSourceKind implements SourceKind {

    /** Opens nothing. */
    public KafkaSourceKind() {}

    @Override
    public String name() {
        return KafkaTargetKind.KAFKA;
    }

    @Override
    public List<KindOption> options() {
        return SourceSettings.OPTIONS;
    }

    /** Connects in the background, and again when the brokers were away. */
    @Override
    public Source open(SourceOptions options, Tickwheel timers) {
        SourceSettings settings =
                SourceSettings.read(new OptionReader(new TargetOptions(options.clock(), 1, options.settings())));
        check(settings.consumer());
        KafkaSource source = new KafkaSource(settings, options.clock(), timers);
        source.start();
        return source;
    }

    /** A client says what it thinks of its settings before it connects. */
    private static void check(Map<String, Object> consumer) {
        try {
            new KafkaConsumer<byte[], byte[]>(consumer).close(CloseOptions.timeout(Duration.ZERO));
        } catch (KafkaException e) {
            if (!BrokerSettings.isUnresolved(e)) {
                throw BrokerSettings.refusal("consumer", consumer, e);
            }
        }
    }
}
