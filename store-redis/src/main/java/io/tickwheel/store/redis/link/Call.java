package io.tickwheel.store.redis.link;

import io.tickwheel.store.Durability;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A script or a plain command on its way to the master that has its slot, and its way back to the loop. For one use. */
public abstract class Call {

    /** The hash slot that all its keys lie in. */
    public final int slot;

    /** Null for a plain command. */
    public final @Nullable Script script;

    /** The name of a plain command; empty for a script. */
    public final String command;

    public final List<byte[]> keys;

    /** What follows the keys. */
    public final List<byte[]> arguments;

    /** What must be certain before it counts as done: {@code MEMORY}, {@code REPLICATED} or {@code FSYNC}. */
    public final Durability level;

    /** A script. */
    public Call(int slot, Script script, List<byte[]> keys, List<byte[]> arguments, Durability level) {
        this.slot = slot;
        this.script = script;
        this.command = "";
        this.keys = keys;
        this.arguments = arguments;
        this.level = level;
    }

    /** A plain command that only reads. */
    public Call(int slot, String command, List<byte[]> keys, List<byte[]> arguments) {
        this(slot, null, command, keys, arguments);
    }

    /**
     * A script or a plain command that only reads.
     *
     * @param script null for a plain command
     * @param command the plain command; empty for a script
     */
    public Call(int slot, @Nullable Script script, String command, List<byte[]> keys, List<byte[]> arguments) {
        this.slot = slot;
        this.script = script;
        this.command = command;
        this.keys = keys;
        this.arguments = arguments;
        this.level = Durability.MEMORY;
    }

    /** Called on the loop, exactly once. */
    public abstract void answered(Reply reply);
}
