package io.tickwheel.target.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Timers {@code t0}, {@code t1} and so on, each with one of five keys of records. */
final class Ordered {

    private Ordered() {}

    /** Checks that each is there once, and those of one key in their order. */
    static void check(List<ConsumerRecord<byte[], byte[]>> records, int timers) {
        Map<String, List<Integer>> byKey = new HashMap<>();
        for (ConsumerRecord<byte[], byte[]> record : records) {
            String timer = text(record.headers().lastHeader("tickwheel-key").value());
            byKey.computeIfAbsent(text(record.key()), key -> new ArrayList<>())
                    .add(Integer.parseInt(timer.substring(1)));
        }
        assertThat(byKey).hasSize(5);
        byKey.values()
                .forEach(numbers -> assertThat(numbers)
                        .hasSize(timers / 5)
                        .doesNotHaveDuplicates()
                        .isSorted());
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
