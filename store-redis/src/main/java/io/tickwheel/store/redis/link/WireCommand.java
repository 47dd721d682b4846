package io.tickwheel.store.redis.link;

import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * A command on one connection: written by a thread of the network, which puts it into the inbox when its reply has come, or
 * when none will come. It is written at most once.
 */
abstract class WireCommand extends Inbox.Item implements RedisCommand<byte[], byte[], Object> {

    /** Lettuce looks at names, to keep state of its own for some; there is none of these here. */
    private static final ProtocolKeyword NAME = new ProtocolKeyword() {
        @Override
        public byte[] getBytes() {
            return toString().getBytes(StandardCharsets.US_ASCII);
        }

        @Override
        public String toString() {
            return "COMMAND";
        }
    };

    private static final AtomicIntegerFieldUpdater<WireCommand> DONE =
            AtomicIntegerFieldUpdater.newUpdater(WireCommand.class, "done");
    private static final byte[] LINE_END = {'\r', '\n'};

    private final Line line;

    /** When it was written. */
    long sentNanos;

    private final RawReply reply = new RawReply();
    private volatile int done;
    private boolean encoded;
    private @Nullable Throwable failure;

    /** The connection that it goes over. */
    interface Line {

        /** Where it is put when it is answered, or will not be. */
        Inbox inbox();

        /** Takes the reply to a command. On the loop. */
        void replied(WireCommand command, @Nullable Object value, @Nullable String error);

        /** Takes that the network has failed. On the loop. */
        void broken(Throwable why);
    }

    WireCommand(Line line) {
        this.line = line;
    }

    /** Writes it as an array of strings. On a thread of the network. */
    abstract void write(ByteBuf out);

    /** Called on the loop when the reply is there, in the order in which the commands were written. */
    abstract void replied(@Nullable Object value, @Nullable String error);

    /** Called on the loop when no reply will come, once. */
    abstract void lost(boolean written, String reason);

    /** Whether it is answered, or will be by what is in the inbox. */
    @Override
    public boolean isDone() {
        return done != 0;
    }

    /** Whether it may have been executed; exact only once its connection is closed. */
    boolean encoded() {
        return encoded;
    }

    @Override
    void arrived() {
        Throwable why = failure;
        if (why != null) {
            line.broken(why);
        } else {
            line.replied(this, reply.value(), reply.getError());
        }
    }

    @Override
    public void encode(ByteBuf buf) {
        encoded = true;
        write(buf);
    }

    @Override
    public void complete() {
        if (DONE.compareAndSet(this, 0, 1)) {
            line.inbox().put(this);
        }
    }

    @Override
    public boolean completeExceptionally(Throwable throwable) {
        if (!DONE.compareAndSet(this, 0, 1)) {
            return false;
        }
        failure = throwable;
        line.inbox().put(this);
        return true;
    }

    @Override
    public void cancel() {
        completeExceptionally(new IllegalStateException("the connection was closed"));
    }

    @Override
    public boolean isCancelled() {
        return false;
    }

    @Override
    public CommandOutput<byte[], byte[], Object> getOutput() {
        return reply;
    }

    @Override
    public void setOutput(CommandOutput<byte[], byte[], Object> output) {
        throw new UnsupportedOperationException("a command keeps its output");
    }

    @Override
    @SuppressWarnings("NullAway") // As a command of Lettuce without arguments.
    public CommandArgs<byte[], byte[]> getArgs() {
        return null;
    }

    @Override
    public ProtocolKeyword getType() {
        return NAME;
    }

    static void writeLength(ByteBuf out, int length) {
        writeHead(out, '*', length);
    }

    static void writeString(ByteBuf out, byte[] bytes) {
        writeHead(out, '$', bytes.length);
        out.writeBytes(bytes);
        out.writeBytes(LINE_END);
    }

    static void writeAscii(ByteBuf out, String text) {
        writeHead(out, '$', text.length());
        out.writeCharSequence(text, StandardCharsets.US_ASCII);
        out.writeBytes(LINE_END);
    }

    static void writeUtf8(ByteBuf out, String text) {
        writeString(out, text.getBytes(StandardCharsets.UTF_8));
    }

    static void writeStrings(ByteBuf out, List<byte[]> strings) {
        for (byte[] each : strings) {
            writeString(out, each);
        }
    }

    private static void writeHead(ByteBuf out, char type, int number) {
        out.writeByte(type);
        writeNumber(out, number);
        out.writeBytes(LINE_END);
    }

    private static void writeNumber(ByteBuf out, int number) {
        if (number >= 10) {
            writeNumber(out, number / 10);
        }
        out.writeByte('0' + number % 10);
    }
}
