package io.tickwheel.engine;

import io.tickwheel.engine.rule.Unicode;
import java.util.Objects;

/**
 * Where a timer is delivered. Both are valid Unicode.
 *
 * @param target the name under which a {@link Target} was registered, such as {@code http}
 * @param address what only that target understands, such as {@code POST http://shop:8080/close}
 */
public record Destination(String target, String address) {

    /** The target of what a queue's handler gets; its address is the queue. */
    public static final String HANDLER = "handler";

    public Destination {
        Unicode.check("target", Objects.requireNonNull(target, "target"));
        Unicode.check("address", Objects.requireNonNull(address, "address"));
    }
}
