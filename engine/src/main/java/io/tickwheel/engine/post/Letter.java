package io.tickwheel.engine.post;

import io.tickwheel.engine.Lease;
import io.tickwheel.engine.rule.DueTimes;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the engines of two nodes tell each other; {@code docs/decisions/0023-leases-from-any-node.md} says when. Immutable.
 *
 * <pre>
 *   kind u8 | fields                              text: length u32, UTF-8        times: ms i64
 *   1 ASK    queue                                5 GOT    number
 *   2 STOP   queue                                6 BACK   count u16, id*
 *   3 HAVE   queue, count u32, is large u8        7 END    number, lease, wish, ms, has ms u8, reason
 *   4 TAKE   number, queue, count u32, ttl ms,    8 ENDED  number, fate, ms, why
 *            limit ms, may be large u8            lease: as {@link LentLeases} writes it
 *   9 GIVE   number, count u16, lease*
 * </pre>
 */
public sealed interface Letter {

    /** Who takes letters, by their kind. */
    interface Reader {

        void take(long from, Ask letter);

        void take(long from, Stop letter);

        void take(long from, Have letter);

        void take(long from, Take letter);

        void take(long from, Give letter);

        void take(long from, Got letter);

        void take(long from, Back letter);

        void take(long from, End letter);

        void take(long from, Ended letter);
    }

    /** Hands this letter to its reader. */
    void open(long from, Reader reader);

    void write(DataOutputStream out) throws IOException;

    /** A poll of the sender may want timers of a queue. */
    record Ask(String queue) implements Letter {

        @Override
        public void open(long from, Reader reader) {
            reader.take(from, this);
        }

        @Override
        public void write(DataOutputStream out) throws IOException {
            out.writeByte(1);
            writeText(out, queue);
        }
    }

    /** No poll of the sender wants timers of a queue any more. */
    record Stop(String queue) implements Letter {

        @Override
        public void open(long from, Reader reader) {
            reader.take(from, this);
        }

        @Override
        public void write(DataOutputStream out) throws IOException {
            out.writeByte(2);
            writeText(out, queue);
        }
    }

    /**
     * The sender has so many timers of a queue that are due and wanted by nobody: 0 for none.
     *
     * @param isLarge whether the next one is given only to who may be given a large one
     */
    record Have(String queue, int count, boolean isLarge) implements Letter {

        @Override
        public void open(long from, Reader reader) {
            reader.take(from, this);
        }

        @Override
        public void write(DataOutputStream out) throws IOException {
            out.writeByte(3);
            writeText(out, queue);
            out.writeInt(count);
            out.writeBoolean(isLarge);
        }
    }

    /**
     * The sender wants to be given so many leases.
     *
     * @param limit after this the sender does not wait for them any more, in whole milliseconds
     * @param mayBeLarge whether one may come that is larger than what each node may send at any time: of one node only
     */
    record Take(long number, String queue, int count, Duration ttl, Duration limit, boolean mayBeLarge)
            implements Letter {

        @Override
        public void open(long from, Reader reader) {
            reader.take(from, this);
        }

        @Override
        public void write(DataOutputStream out) throws IOException {
            out.writeByte(4);
            out.writeLong(number);
            writeText(out, queue);
            out.writeInt(count);
            out.writeLong(ttl.toMillis());
            out.writeLong(limit.toMillis());
            out.writeBoolean(mayBeLarge);
        }
    }

    /** The sender has what was given, but for what it has given back before. */
    record Got(long number) implements Letter {

        @Override
        public void open(long from, Reader reader) {
            reader.take(from, this);
        }

        @Override
        public void write(DataOutputStream out) throws IOException {
            out.writeByte(5);
            out.writeLong(number);
        }
    }

    /** No consumer has seen these leases, and none will. */
    record Back(List<String> leases) implements Letter {

        @Override
        public void open(long from, Reader reader) {
            reader.take(from, this);
        }

        @Override
        public void write(DataOutputStream out) throws IOException {
            out.writeByte(6);
            out.writeShort(leases.size());
            for (String lease : leases) {
                writeText(out, lease);
            }
        }
    }

    /** What a consumer asks of a lease. */
    enum Wish {
        ACKNOWLEDGE,
        NACK,
        BURY,
        EXTEND,
        POSTPONE
    }

    /**
     * A consumer has asked the sender for something to be done to a lease.
     *
     * @param time until the next attempt, or how long it is to last; of one that is postponed, since the epoch; null for what the retry policy says
     */
    record End(
            long number, String lease, Wish wish, @Nullable Duration time, String reason) implements Letter {

        @Override
        public void open(long from, Reader reader) {
            reader.take(from, this);
        }

        @Override
        public void write(DataOutputStream out) throws IOException {
            out.writeByte(7);
            out.writeLong(number);
            writeText(out, lease);
            writeText(out, wish.name());
            // Rounded up, so that no attempt is early.
            out.writeLong(time == null ? 0 : DueTimes.ceilMs(time));
            out.writeBoolean(time != null);
            writeText(out, reason);
        }
    }

    /** What became of a wish. */
    enum Fate {
        DONE,
        GONE,
        FAILED
    }

    /**
     * The answer to an {@link End}.
     *
     * @param expiresAt of a lease that was extended
     * @param why it was not done; empty when it was
     */
    record Ended(long number, Fate fate, Instant expiresAt, String why) implements Letter {

        @Override
        public void open(long from, Reader reader) {
            reader.take(from, this);
        }

        @Override
        public void write(DataOutputStream out) throws IOException {
            out.writeByte(8);
            out.writeLong(number);
            writeText(out, fate.name());
            out.writeLong(expiresAt.toEpochMilli());
            writeText(out, why);
        }
    }

    /** What was asked for with a {@link Take}, or less. */
    record Give(long number, List<Lease> leases) implements Letter {

        /** How many bytes a lease has in a letter, with its headers and names, or a few more. */
        public static long bytes(Lease lease) {
            return LentLeases.bytes(lease);
        }

        @Override
        public void open(long from, Reader reader) {
            reader.take(from, this);
        }

        @Override
        public void write(DataOutputStream out) throws IOException {
            out.writeByte(9);
            out.writeLong(number);
            out.writeShort(leases.size());
            for (Lease lease : leases) {
                LentLeases.write(out, lease);
            }
        }
    }

    /**
     * Reads one letter.
     *
     * @throws IOException when it is cut off, or is of no kind that this version knows
     * @throws IllegalArgumentException when it says something that this version does not know
     */
    static Letter read(DataInputStream in) throws IOException {
        int kind = in.readUnsignedByte();
        return switch (kind) {
            case 1 -> new Ask(readText(in));
            case 2 -> new Stop(readText(in));
            case 3 -> new Have(readText(in), in.readInt(), in.readBoolean());
            case 4 ->
                new Take(
                        in.readLong(),
                        readText(in),
                        in.readInt(),
                        Duration.ofMillis(in.readLong()),
                        Duration.ofMillis(in.readLong()),
                        in.readBoolean());
            case 5 -> new Got(in.readLong());
            case 6 -> {
                int count = in.readUnsignedShort();
                List<String> leases = new ArrayList<>(count);
                for (int i = 0; i < count; i++) {
                    leases.add(readText(in));
                }
                yield new Back(leases);
            }
            case 7 -> readEnd(in);
            case 8 ->
                new Ended(in.readLong(), Fate.valueOf(readText(in)), Instant.ofEpochMilli(in.readLong()), readText(in));
            case 9 -> {
                long number = in.readLong();
                int count = in.readUnsignedShort();
                List<Lease> leases = new ArrayList<>(count);
                for (int i = 0; i < count; i++) {
                    leases.add(LentLeases.read(in));
                }
                yield new Give(number, leases);
            }
            default -> throw new IOException("a letter has the kind " + kind + ", must be 1 to 9");
        };
    }

    private static End readEnd(DataInputStream in) throws IOException {
        long number = in.readLong();
        String lease = readText(in);
        Wish wish = Wish.valueOf(readText(in));
        Duration time = Duration.ofMillis(in.readLong());
        return new End(number, lease, wish, in.readBoolean() ? time : null, readText(in));
    }

    static void writeText(DataOutputStream out, String text) throws IOException {
        writeBytes(out, text.getBytes(StandardCharsets.UTF_8));
    }

    static void writeBytes(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    static String readText(DataInputStream in) throws IOException {
        return new String(readBytes(in), StandardCharsets.UTF_8);
    }

    static byte[] readBytes(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > in.available()) {
            throw new IOException("a letter has a text of " + length + " bytes, and " + in.available() + " are left");
        }
        return in.readNBytes(length);
    }
}
