package io.tickwheel.store.redis.partition;

import io.tickwheel.store.Durability;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.redis.layout.Layout;
import java.nio.ByteBuffer;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One command of the script {@code commands}, from the moment it is wished to its answer. All of them can be carried out
 * twice with the effect of once, because a reply can be lost. Used by the loop only.
 */
abstract class TimerCommand {

    final byte[] field;
    final Durability level;

    /** When it is given up. */
    final long deadlineNanos;

    /** Whether it may have been carried out, or may be lost again. */
    boolean maybeApplied;

    /** The slice that the script asked for. */
    @Nullable
    String missingSlice;

    TimerCommand(byte[] field, Durability level, long deadlineNanos) {
        this.field = field;
        this.level = level;
        this.deadlineNanos = deadlineNanos;
    }

    /** Whether there is a point in sending it: asked just before. */
    boolean isWanted() {
        return true;
    }

    /** Takes that it is not sent, or not again, as there is no point in it. */
    void dropped() {}

    /** Takes that its namespace is gone, and all that it could change with it. Of those of clients it is {@link #failed} that is told. */
    void forgotten() {}

    /** Whether somebody waits for its answer, and can be told that there is none. */
    boolean isOfAClient() {
        return false;
    }

    /** Whether it changes something for a client: the answer is remembered, for the case that the reply is lost. */
    boolean changesForAClient() {
        return false;
    }

    final boolean isRepeatForAClient() {
        return maybeApplied && changesForAClient();
    }

    /** Whether it must not be carried out behind a later call: it is one of a client, or begins a claim or takes one back. */
    boolean mustNotComeLate() {
        return changesForAClient();
    }

    /** Whether it takes memory of the server: refused when that is full, without harm to others. */
    boolean takesMemory() {
        return false;
    }

    /** How large its answer may be, when it may be large. */
    int answerBytes() {
        return 0;
    }

    /** Adds the slices that it may touch, as far as they are known. */
    void addSlices(Set<String> slices) {}

    /** The letter by which the script knows it. */
    abstract char letter();

    /** How many bytes {@link #write} writes. */
    int length() {
        return 0;
    }

    /** Writes what its letter asks for. */
    void write(ByteBuffer out) {}

    /** For the script: the letter, the field, and what the letter asks for. */
    final byte[] encode() {
        byte[] bytes = new byte[1 + Short.BYTES + field.length + length()];
        ByteBuffer out = ByteBuffer.wrap(bytes)
                .put((byte) letter())
                .putShort((short) field.length)
                .put(field);
        write(out);
        return bytes;
    }

    /**
     * Takes the answer of the script.
     *
     * @param letter how it begins
     * @param rest what follows
     */
    abstract void answered(char letter, ByteBuffer rest);

    /** Takes that there will be no answer. */
    abstract void failed(StoreException reason);

    static void addBoth(Set<String> slices, long dueAtMs) {
        slices.add(Layout.slice(false, dueAtMs));
        slices.add(Layout.slice(true, dueAtMs));
    }
}
