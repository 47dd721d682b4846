package io.tickwheel.engine;

import java.util.Objects;

/**
 * Where a timer is delivered.
 *
 * @param target the name under which a {@link Target} was registered, such as {@code http}
 * @param address what only that target understands, such as {@code POST http://shop:8080/close}
 */
public record Destination(String target, String address) {

    /** The target of what a queue's handler gets; its address is the queue. */
    public static final String HANDLER = "handler";

    public Destination {
        Objects.requireNonNull(target, "target");
        Objects.requireNonNull(address, "address");
    }
}
