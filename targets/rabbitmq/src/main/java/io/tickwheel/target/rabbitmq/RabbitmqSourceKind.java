package io.tickwheel.target.rabbitmq;

import io.tickwheel.engine.KindOption;
import io.tickwheel.engine.Source;
import io.tickwheel.engine.SourceKind;
import io.tickwheel.engine.SourceOptions;
import io.tickwheel.engine.TargetOptions;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.target.message.OptionReader;
import java.util.List;
import java.util.stream.Stream;

/** Messages with a header {@code x-delay}, which the plugin for delayed messages took: each becomes a timer, and then a message again. See {@code docs/targets/rabbitmq.md}. */
public final class RabbitmqSourceKind implements SourceKind {

    /** Opens nothing. */
    public RabbitmqSourceKind() {}

    @Override
    public String name() {
        return RabbitmqTargetKind.NAME;
    }

    @Override
    public List<KindOption> options() {
        return Stream.concat(
                        BrokerOptions.options(BrokerOptions.DEFAULT_HOST).stream(), SourceSettings.OPTIONS.stream())
                .toList();
    }

    /** Connects in the background, and again when the broker was away. */
    @Override
    public Source open(SourceOptions options, Tickwheel timers) {
        OptionReader reader = new OptionReader(new TargetOptions(options.clock(), 1, options.settings()));
        BrokerOptions broker = BrokerOptions.read(reader);
        SourceSettings settings = SourceSettings.read(reader);
        RabbitmqSource source = new RabbitmqSource(
                broker.factory(RabbitmqSource.THREADS), settings, options.clock(), options.random(), timers);
        source.start();
        return source;
    }
}
