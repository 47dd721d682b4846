package io.tickwheel.store.redis.query;

import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.link.Script;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Calls of {@code read.lua}. */
final class ReadScript {

    private static final Script SCRIPT = Script.reading("read");
    private static final byte[] NOTHING = new byte[0];
    private static final byte[] ZERO = Layout.bytes("0");

    private ReadScript() {}

    /** @param sets those beside what is in flight */
    static QueryCall call(
            Layout layout, int partition, List<byte[]> arguments, List<String> sets, Consumer<List<?>> answer) {
        List<byte[]> keys = new ArrayList<>();
        for (String each : List.of("r", "i", "f")) {
            keys.add(layout.key(partition, each));
        }
        for (String each : sets) {
            keys.add(layout.key(partition, each));
        }
        return new QueryCall(layout.slot(partition), SCRIPT, "", keys, arguments, answer);
    }

    /** The arguments to read slices that begin from the one to the other millisecond. */
    static List<byte[]> onlyDirectory(String fromMs, long lastMs, int slices) {
        return arguments(
                NOTHING,
                Layout.bytes(fromMs),
                Layout.bytes(Long.toString(lastMs)),
                Layout.bytes(Integer.toString(slices)),
                NOTHING,
                NOTHING);
    }

    /** The arguments to read what is in flight behind a score and field. */
    static List<byte[]> onlyFlight(byte[] fieldPrefix, byte[] score, byte[] field) {
        return arguments(fieldPrefix, NOTHING, ZERO, ZERO, score, field);
    }

    private static List<byte[]> arguments(byte[] fieldPrefix, byte[]... directoryAndFlight) {
        List<byte[]> arguments = new ArrayList<>(List.of(fieldPrefix, ZERO, ZERO, NOTHING, ZERO, NOTHING, ZERO));
        arguments.addAll(List.of(directoryAndFlight));
        return arguments;
    }
}
