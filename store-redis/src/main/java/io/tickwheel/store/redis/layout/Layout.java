package io.tickwheel.store.redis.layout;

import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.SpawnCommand;
import io.tickwheel.store.StoreFormatException;
import io.tickwheel.store.TimerKey;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Where everything lies: the keys of a namespace and of its partitions. See {@code docs/redis-layout.md}. Immutable and
 * thread-safe.
 */
public final class Layout {

    public static final int FORMAT = 3;

    /** The oldest format that is carried over, and so are all since: the records of format 1 have no route, and up to 2 no timer is ending. */
    public static final int OLDEST_FORMAT = 1;

    /** A timer due later than this, when it is scheduled, goes to a far slice. */
    public static final long FAR_MS = 24L * 3_600_000;

    /** Due times are up to here, in both directions: a double holds them exactly, and what is near them. */
    public static final long FARTHEST_MS = ScheduleCommand.FARTHEST_DUE_MS;

    private static final int NEAR_BITS = 16;
    private static final int FAR_BITS = 22;
    private static final int ID_BITS = 10;

    /** What fits into the two bytes of its length. */
    private static final int MAX_FIELD_BYTES = 65_535;

    /** No queue begins with a lesser character: see {@link Member}. */
    private static final char FIRST_OF_QUEUE = 5;

    /** The most partitions: what fits into an id. */
    public static final int MAX_PARTITIONS = 1 << ID_BITS;

    public final String namespace;
    public final int partitions;
    private final byte[][] prefixes;
    private final int[] slots;

    public Layout(String namespace, int partitions) {
        this.namespace = namespace;
        this.partitions = partitions;
        this.prefixes = new byte[partitions][];
        this.slots = new int[partitions];
        List<String> tags = HashSlots.tags();
        for (int p = 0; p < partitions; p++) {
            slots[p] = (int) ((long) p * HashSlots.COUNT / partitions);
            prefixes[p] = bytes(namespace + ":{" + tags.get(slots[p]) + "}:");
        }
    }

    /**
     * The layout of a namespace whose settings say so.
     *
     * @throws StoreFormatException when that is not how partitions are written down
     */
    public static Layout written(String namespace, String partitions) {
        int count = partitions.matches("[0-9]{1,4}") ? Integer.parseInt(partitions) : 0;
        if (count < 1 || count > MAX_PARTITIONS) {
            throw new StoreFormatException(
                    "namespace " + namespace + " has '" + partitions + "' partitions, must be 1 to " + MAX_PARTITIONS);
        }
        return new Layout(namespace, count);
    }

    // ---- partitions

    /** The partition of a timer: that of all timers of its queue whose keys are the same up to the first {@link SpawnCommand#SEPARATOR}. */
    public int partition(byte[] field) {
        int end = queueEnd(field);
        while (end < field.length && field[end] != SpawnCommand.SEPARATOR) {
            end++;
        }
        CRC32C crc = new CRC32C();
        crc.update(field, 0, end);
        return (int) (crc.getValue() % partitions);
    }

    /** The hash slot of a partition. */
    public int slot(int partition) {
        return slots[partition];
    }

    /** A key of a partition: its letter, or {@code z} and a slice. */
    public byte[] key(int partition, String name) {
        byte[] prefix = prefixes[partition];
        byte[] key = new byte[prefix.length + name.length()];
        System.arraycopy(prefix, 0, key, 0, prefix.length);
        for (int i = 0; i < name.length(); i++) {
            key[prefix.length + i] = (byte) name.charAt(i);
        }
        return key;
    }

    /** Keys of a partition. */
    public List<byte[]> keys(int partition, String... names) {
        return Arrays.stream(names).map(name -> key(partition, name)).toList();
    }

    /** What all nodes together run and start of a queue: it lies beside a partition that its name alone decides. */
    public byte[] limitKey(String queue) {
        return bytes(text(key(limitPartition(queue), "l")) + queue);
    }

    public int limitSlot(String queue) {
        return slot(limitPartition(queue));
    }

    private int limitPartition(String queue) {
        return partition(queuePrefix(queue));
    }

    /** The name of the key of a slice. */
    public static String sliceKey(String slice) {
        return "z" + slice;
    }

    // ---- keys of the namespace

    /** The slot of the keys of the namespace. */
    public int homeSlot() {
        return HashSlots.slot(bytes("0"));
    }

    public byte[] homeKey(String name) {
        return bytes(namespace + ":{0}:" + name);
    }

    public String channel(String node) {
        return namespace + ":node:" + node;
    }

    /** Where an opening of a node hears what the others send to it. */
    public String mailbox(long address) {
        return channel("mail:" + HexFormat.of().toHexDigits(address));
    }

    // ---- fields

    /**
     * The field of a timer.
     *
     * @throws IllegalArgumentException when the names cannot be told apart, or are no Unicode
     */
    public static byte[] field(TimerKey key) {
        if (key.queue().indexOf('\0') >= 0) {
            throw new IllegalArgumentException("a queue must have no zero character");
        }
        // Else a field could not be told from a member of a slice.
        if (key.queue().isEmpty()) {
            throw new IllegalArgumentException("a queue must not be empty");
        }
        if (key.queue().charAt(0) < FIRST_OF_QUEUE) {
            throw new IllegalArgumentException(
                    "a queue begins with U+000" + (int) key.queue().charAt(0) + ", must begin with U+0005 or above");
        }
        byte[] field = unicode(key.queue() + '\0' + key.key());
        if (field.length > MAX_FIELD_BYTES) {
            throw new IllegalArgumentException(
                    "a queue and a key have " + field.length + " bytes in UTF-8, must have at most " + MAX_FIELD_BYTES);
        }
        return field;
    }

    /** The bytes of a text. The encoder, which finds lone surrogates and is slow, is needed only where there are surrogates. */
    private static byte[] unicode(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                return encoded(text);
            }
        }
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] encoded(String text) {
        try {
            ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] encoded = new byte[bytes.remaining()];
            bytes.get(encoded);
            return encoded;
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("a queue and a key must be Unicode, without lone surrogates", e);
        }
    }

    /** The beginning of the fields of a queue. */
    public static byte[] queuePrefix(String queue) {
        return bytes(queue + '\0');
    }

    public static TimerKey timerKey(byte[] field) {
        int end = queueEnd(field);
        return new TimerKey(
                new String(field, 0, end, StandardCharsets.UTF_8),
                new String(field, end + 1, field.length - end - 1, StandardCharsets.UTF_8));
    }

    public static String queue(byte[] field) {
        return new String(field, 0, queueEnd(field), StandardCharsets.UTF_8);
    }

    private static int queueEnd(byte[] field) {
        int end = 0;
        while (field[end] != 0) {
            end++;
        }
        return end;
    }

    // ---- slices

    public static String slice(boolean far, long dueAtMs) {
        return far ? "f" + (dueAtMs >> FAR_BITS) : "n" + (dueAtMs >> NEAR_BITS);
    }

    /** The first millisecond of a slice. */
    public static long sliceFromMs(String slice) {
        long number = Long.parseLong(slice.substring(1));
        return slice.charAt(0) == 'f' ? number << FAR_BITS : number << NEAR_BITS;
    }

    /** The first millisecond behind a slice. */
    public static long sliceToMs(String slice) {
        return sliceFromMs(slice) + (slice.charAt(0) == 'f' ? 1L << FAR_BITS : 1L << NEAR_BITS);
    }

    /** The last millisecond of a slice. */
    public static long sliceLastMs(String slice) {
        return sliceToMs(slice) - 1;
    }

    /** Where the lowest slice can begin that has a due time from that one on. */
    public static long lowestSliceFromMs(long dueAtMs) {
        return dueAtMs >> FAR_BITS << FAR_BITS;
    }

    // ---- ids

    /** The number of a timer over all partitions: its age, and as text its id. */
    public static long number(long seq, int partition) {
        return seq << ID_BITS | partition;
    }

    /** The seq of such a number. */
    public static long seq(long number) {
        return number >> ID_BITS;
    }

    /** The seq of the timer of a partition that has that id; 0, which no timer has, when none can have it. */
    public static long seq(String id, int partition) {
        if (!id.matches("[0-9a-f]{1,16}")) {
            return 0;
        }
        long number = Long.parseUnsignedLong(id, 16);
        boolean isOne =
                number > 0 && number % MAX_PARTITIONS == partition && id(number).equals(id);
        return isOne ? seq(number) : 0;
    }

    /** The id of the timer with such a number. */
    public static String id(long number) {
        return Long.toHexString(number);
    }

    /** A score as the server writes it. */
    public static double score(byte[] text) {
        return Double.parseDouble(new String(text, StandardCharsets.US_ASCII));
    }

    public static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    public static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
