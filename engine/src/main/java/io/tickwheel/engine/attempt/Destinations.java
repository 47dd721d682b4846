package io.tickwheel.engine.attempt;

import io.tickwheel.engine.Destination;
import io.tickwheel.engine.Target;
import io.tickwheel.engine.bulk.BulkRuns;
import io.tickwheel.engine.rule.DocumentQueues;
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
public final class Destinations {

    /** The name under which the engine knows where leased timers go; the address is the queue. */
    public static final String PULL = "pull";

    private final Map<String, Target> targets;
    private final Map<String, Destination> handlers = new HashMap<>();
    private final Map<String, Destination> ofSettings = new HashMap<>();
    private final Map<String, Destination> pulled = new HashMap<>();

    public Destinations(Map<String, Target> targets) {
        this.targets = targets;
        handlers.put(DocumentQueues.BULKS, new Destination(BulkRuns.TARGET, ""));
    }

    /** Where timers of a queue go that name no destination; null when there is nothing. */
    public @Nullable Destination ofQueue(String queue) {
        Destination pushed = pushed(queue);
        return pushed != null ? pushed : pulled.get(queue);
    }

    private @Nullable Destination pushed(String queue) {
        Destination handler = handlers.get(queue);
        return handler != null ? handler : ofSettings.get(queue);
    }

    /** Whether timers of a queue that name no destination are leased. */
    public boolean isPulled(String queue) {
        return pulled.containsKey(queue) && pushed(queue) == null;
    }

    /** Has timers of a queue be leased that has nothing else. */
    public void setPulled(String queue) {
        pulled.put(queue, new Destination(PULL, queue));
    }

    public void removePulled(String queue) {
        pulled.remove(queue);
    }

    /** Has timers of a queue go to the handler of this program, whatever its settings say. */
    public void setHandler(String queue) {
        handlers.put(queue, new Destination(Destination.HANDLER, queue));
    }

    public void removeHandler(String queue) {
        handlers.remove(queue);
    }

    /** Takes what the settings of a queue say; null when they say nothing. */
    public void setOfSettings(String queue, @Nullable Destination destination) {
        if (destination == null) {
            ofSettings.remove(queue);
        } else {
            ofSettings.put(queue, destination);
        }
    }

    /** Whether timers of a lane have somewhere to go, as far as that is known. */
    public boolean has(Lane lane) {
        return lane.route() != Lane.QUEUE_ROUTE || ofQueue(lane.queue()) != null;
    }

    /** Whether timers of a lane go to code of this program. */
    public boolean isHandled(Lane lane) {
        return lane.route() == Lane.QUEUE_ROUTE && handlers.containsKey(lane.queue());
    }

    /**
     * The {@link Lane#route} of a timer; any thread. It is kept with the timer, so it is the same in every version: the CRC-32C of
     * the target's name, a zero byte and what the target says of the address, in UTF-8; 1 in place of 0.
     *
     * @param destination what the timer names; null when it goes where its queue goes
     */
    public long route(@Nullable Destination destination) {
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
