package io.tickwheel.store.redis.partition;

import io.tickwheel.store.Durability;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Commands of one partition in a call of the script {@code commands}. Immutable.
 *
 * @param partition which one
 * @param level of all of them
 * @param keys of the partition, and of the slices that the commands may touch
 * @param slices how many slices that are
 * @param epoch of the lease, or empty
 * @param encoded the commands as the script takes them
 * @param bytes how much is asked and may be answered, about
 */
record CommandBatch(
        int partition,
        Durability level,
        List<TimerCommand> commands,
        List<byte[]> keys,
        int slices,
        byte[] epoch,
        List<byte[]> encoded,
        int bytes) {

    void addTo(List<byte[]> allKeys, List<byte[]> arguments) {
        allKeys.addAll(keys);
        byte[] head = new byte[Short.BYTES + 3 + epoch.length];
        ByteBuffer.wrap(head)
                .putShort((short) partition)
                .put((byte) slices)
                .put((byte) commands.size())
                .put((byte) epoch.length)
                .put(epoch);
        arguments.add(head);
        arguments.addAll(encoded);
    }
}
