package io.tickwheel.target.rabbitmq;

import io.tickwheel.engine.InvalidNameException;
import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.KindOption;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.target.message.OptionReader;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a source takes in, and where it goes.
 *
 * @param queue of RabbitMQ, which is consumed
 * @param exchanges those that publishers send to, each with the one where its messages go
 * @param timerQueue of Tickwheel
 * @param refusedQueue of RabbitMQ, for messages that no timer can be made of
 * @param prefetch how many messages are taken in at once
 */
record SourceSettings(
        String queue, Map<String, String> exchanges, String timerQueue, String refusedQueue, int prefetch) {

    private static final String QUEUE = "queue";
    private static final String EXCHANGES = "exchanges";
    private static final String TIMER_QUEUE = "timerQueue";
    private static final String REFUSED_QUEUE = "refusedQueue";
    private static final String PREFETCH = "prefetch";

    private static final String DEFAULT = "tickwheel";
    private static final String REFUSED = ".refused";
    private static final int MOST_BY_DEFAULT = 500;
    private static final int HEAP_EACH_MIB = 4;

    static final List<KindOption> OPTIONS = List.of(
            KindOption.of(QUEUE, "text", DEFAULT),
            KindOption.of(EXCHANGES, "list of pairs"),
            KindOption.of(TIMER_QUEUE, "text", RabbitmqTargetKind.NAME),
            KindOption.of(REFUSED_QUEUE, "text", "the queue with " + REFUSED),
            KindOption.of(PREFETCH, "integer", MOST_BY_DEFAULT + ", fewer in a small heap"));

    static SourceSettings read(OptionReader options) {
        String queue = name(options, QUEUE, DEFAULT);
        String timerQueue = options.text(TIMER_QUEUE, RabbitmqTargetKind.NAME);
        try {
            TimerRequest.at(timerQueue, "key", Instant.EPOCH);
        } catch (InvalidNameException e) {
            throw options.invalid(TIMER_QUEUE, "must be the name of a queue of Tickwheel");
        }
        return new SourceSettings(
                queue,
                exchanges(options),
                timerQueue,
                name(options, REFUSED_QUEUE, queue + REFUSED),
                options.integer(PREFETCH, prefetch(Runtime.getRuntime().maxMemory()), 1, 65_535));
    }

    /** Messages are sent whatever their size: in a small heap there are so few at once that they may have a mebibyte each. */
    static int prefetch(long heapBytes) {
        return (int) Math.max(1, Math.min(MOST_BY_DEFAULT, (heapBytes / HEAP_EACH_MIB) >> 20));
    }

    private static String name(OptionReader options, String option, String absent) {
        String name = options.text(option, absent);
        if (name.isBlank() || !RabbitmqAddress.fits(name)) {
            throw options.invalid(option, "must have 1 to " + RabbitmqAddress.MOST_NAME_BYTES + " bytes");
        }
        return name;
    }

    private static Map<String, String> exchanges(OptionReader options) {
        Map<String, String> exchanges = new LinkedHashMap<>();
        for (String pair : options.text(EXCHANGES, "").split(",", -1)) {
            String[] names = pair.trim().split("=", -1);
            boolean isPair = names.length == 2 && !names[0].isBlank();
            if (!isPair && !(exchanges.isEmpty() && options.text(EXCHANGES, "").isBlank())) {
                throw refused(options);
            }
            if (isPair
                    && (!RabbitmqAddress.fits(names[0])
                            || !RabbitmqAddress.fits(names[1])
                            || exchanges.put(names[0].trim(), names[1].trim()) != null)) {
                throw refused(options);
            }
        }
        return exchanges;
    }

    private static InvalidTargetException refused(OptionReader options) {
        return options.invalid(
                EXCHANGES, "must be pairs such as orders.delayed=orders, with commas between, each exchange once");
    }
}
