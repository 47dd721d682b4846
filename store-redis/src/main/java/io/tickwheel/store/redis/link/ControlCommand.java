package io.tickwheel.store.redis.link;

import io.netty.buffer.ByteBuf;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A command of the link itself, such as {@code INFO}. */
final class ControlCommand extends WireCommand {

    private final String[] words;
    private final BiConsumer<@Nullable Object, @Nullable String> receiver;

    /**
     * @param receiver given the value, or the error that the server answered; nothing when the connection is lost
     */
    ControlCommand(Line line, BiConsumer<@Nullable Object, @Nullable String> receiver, String... words) {
        super(line);
        this.receiver = receiver;
        this.words = words;
    }

    @Override
    void write(ByteBuf out) {
        writeLength(out, words.length);
        for (String word : words) {
            writeUtf8(out, word);
        }
    }

    @Override
    void replied(@Nullable Object value, @Nullable String error) {
        receiver.accept(value, error);
    }

    @Override
    void lost(boolean written, String reason) {
        // Who waits for the reply learns from the session that it is lost.
    }
}
