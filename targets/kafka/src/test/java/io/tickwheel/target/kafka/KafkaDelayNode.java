package io.tickwheel.target.kafka;

import io.tickwheel.store.file.FileTimerStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** A process with an engine, the target and the source, to be killed: {@code DIRECTORY ADDRESS}. It ends with its input. */
final class KafkaDelayNode {

    private KafkaDelayNode() {}

    public static void main(String[] args) throws IOException {
        try (DelayShop shop = new DelayShop(args[1], FileTimerStore.in(Path.of(args[0])), timers -> timers)) {
            shop.begin(Map.of());
            for (int next = System.in.read(); next >= 0; next = System.in.read()) {
                System.out.println(shop.source().counts());
            }
        }
    }

    /** The delay, and in turn an id, a key, or neither. */
    static String[] headers(int number, int delayMs) {
        String delay = Integer.toString(delayMs);
        return switch (number % 3) {
            case 0 -> new String[] {"x-delay", delay, "message-id", "m" + number};
            case 1 -> new String[] {"x-delay", delay, "tickwheel-key", "k" + number};
            default -> new String[] {"x-delay", delay};
        };
    }
}
