package io.tickwheel.store.redis.layout;

import io.tickwheel.store.Lane;
import java.nio.ByteBuffer;

/**
 * The name of a timer in slices and near inserts: the length of its route, the route, and its field. So the lane of a timer is known
 * without a look at its record.
 *
 * <pre>
 *   0           field      goes where its queue goes
 *   4 r r r r   field      goes along that route
 *               field      nobody knows where: it was written by layout 1. No field begins with a byte below 5
 * </pre>
 */
public final class Member {

    private static final byte[] OF_QUEUE = {0};
    private static final byte[] UNKNOWN = {};

    private Member() {}

    /** How the members of that route begin. */
    public static byte[] prefix(long route) {
        if (route == Lane.QUEUE_ROUTE) {
            return OF_QUEUE;
        }
        if (route == Lane.UNKNOWN_ROUTE) {
            return UNKNOWN;
        }
        return ByteBuffer.allocate(1 + Integer.BYTES)
                .put((byte) Integer.BYTES)
                .putInt((int) route)
                .array();
    }

    public static byte[] of(long route, byte[] field) {
        byte[] prefix = prefix(route);
        return ByteBuffer.allocate(prefix.length + field.length)
                .put(prefix)
                .put(field)
                .array();
    }

    /** How the members of a lane begin, and no others. */
    public static byte[] prefix(Lane lane) {
        return of(lane.route(), Layout.queuePrefix(lane.queue()));
    }

    public static byte[] field(byte[] member) {
        int start = fieldStart(member);
        if (start == 0) {
            return member;
        }
        byte[] field = new byte[member.length - start];
        System.arraycopy(member, start, field, 0, field.length);
        return field;
    }

    /** The lane of the timer that it names. */
    public static Lane lane(byte[] member) {
        return new Lane(Layout.queue(field(member)), route(member));
    }

    public static long route(byte[] member) {
        return switch (fieldStart(member)) {
            case 0 -> Lane.UNKNOWN_ROUTE;
            case 1 -> Lane.QUEUE_ROUTE;
            default -> ByteBuffer.wrap(member).getInt(1) & 0xffff_ffffL;
        };
    }

    private static int fieldStart(byte[] member) {
        return switch (member[0]) {
            case 0 -> 1;
            case Integer.BYTES -> 1 + Integer.BYTES;
            default -> 0;
        };
    }
}
