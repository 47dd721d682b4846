package io.tickwheel.engine;

import io.tickwheel.store.Lane;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Where timers go: those that name a destination, and those that go where their queue goes. Owned by the loop, but for {@link
 * #route}.
 */
final class Destinations {

    private final Map<String, Target> targets;
    private final Map<String, Destination> ofQueues;

    Destinations(Map<String, Target> targets, Map<String, Destination> ofQueues) {
        this.targets = targets;
        this.ofQueues = new HashMap<>(ofQueues);
    }

    /** Where timers of a queue go that name no destination; null when there is nothing. */
    @Nullable
    Destination ofQueue(String queue) {
        return ofQueues.get(queue);
    }

    void setOfQueue(String queue, Destination destination) {
        ofQueues.put(queue, destination);
    }

    void removeOfQueue(String queue) {
        ofQueues.remove(queue);
    }

    /** Whether timers of a lane have somewhere to go, as far as that is known. */
    boolean has(Lane lane) {
        return lane.route() != Lane.QUEUE_ROUTE || ofQueues.containsKey(lane.queue());
    }

    /**
     * The {@link Lane#route} of a timer; any thread. It is kept with the timer, so it is the same in every version: the CRC-32C of
     * the target's name, a zero byte and what the target says of the address, in UTF-8; 1 in place of 0.
     *
     * @param destination what the timer names; null when it goes where its queue goes
     */
    long route(@Nullable Destination destination) {
        if (destination == null) {
            return Lane.QUEUE_ROUTE;
        }
        Target target = targets.get(destination.target());
        String route = target == null ? destination.address() : target.route(destination.address());
        CRC32C crc = new CRC32C();
        crc.update(destination.target().getBytes(StandardCharsets.UTF_8));
        crc.update(0);
        crc.update(route.getBytes(StandardCharsets.UTF_8));
        return Math.max(1, crc.getValue());
    }
}
