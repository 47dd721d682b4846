package io.tickwheel.engine.post;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.Lease;
import io.tickwheel.engine.attempt.Destinations;
import io.tickwheel.store.TimerKey;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Leases in letters.
 *
 * <pre>
 *   id, queue, key, timer id: text | version, expires at, due at, attempt at, lateness: i64 | attempt u32
 *   has content type u8, content type text | headers u16, (name, value: text)* | keeps excerpt u8 | payload: length u32, bytes
 * </pre>
 */
final class LentLeases {

    /** What the lengths and numbers of a lease take, and more. */
    private static final int NUMBERS_BYTES = 128;

    private LentLeases() {}

    /** How many bytes a lease has in a letter, or a few more. */
    static long bytes(Lease lease) {
        Attempt attempt = lease.attempt();
        String contentType = attempt.contentType();
        long bytes = NUMBERS_BYTES
                + attempt.payload().length
                + utf8Bytes(lease.id())
                + utf8Bytes(attempt.timer().queue())
                + utf8Bytes(attempt.timer().key())
                + utf8Bytes(attempt.id())
                + (contentType == null ? 0 : utf8Bytes(contentType));
        for (Map.Entry<String, String> header : attempt.headers().entrySet()) {
            bytes += 2 * Integer.BYTES + utf8Bytes(header.getKey()) + utf8Bytes(header.getValue());
        }
        return bytes;
    }

    private static long utf8Bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    static void write(DataOutputStream out, Lease lease) throws IOException {
        Attempt attempt = lease.attempt();
        Letter.writeText(out, lease.id());
        Letter.writeText(out, attempt.timer().queue());
        Letter.writeText(out, attempt.timer().key());
        Letter.writeText(out, attempt.id());
        out.writeLong(attempt.version());
        out.writeLong(lease.expiresAt().toEpochMilli());
        out.writeLong(attempt.dueAt().toEpochMilli());
        out.writeLong(attempt.attemptAt().toEpochMilli());
        out.writeLong(attempt.lateness().toMillis());
        out.writeInt(attempt.number());
        String contentType = attempt.contentType();
        out.writeBoolean(contentType != null);
        if (contentType != null) {
            Letter.writeText(out, contentType);
        }
        out.writeShort(attempt.headers().size());
        for (Map.Entry<String, String> header : attempt.headers().entrySet()) {
            Letter.writeText(out, header.getKey());
            Letter.writeText(out, header.getValue());
        }
        out.writeBoolean(attempt.keepsExcerpt());
        Letter.writeBytes(out, attempt.payload());
    }

    static Lease read(DataInputStream in) throws IOException {
        String id = Letter.readText(in);
        TimerKey key = new TimerKey(Letter.readText(in), Letter.readText(in));
        String timer = Letter.readText(in);
        long version = in.readLong();
        Instant expiresAt = Instant.ofEpochMilli(in.readLong());
        Instant dueAt = Instant.ofEpochMilli(in.readLong());
        Instant attemptAt = Instant.ofEpochMilli(in.readLong());
        Duration lateness = Duration.ofMillis(in.readLong());
        int number = in.readInt();
        String contentType = in.readBoolean() ? Letter.readText(in) : null;
        int count = in.readUnsignedShort();
        Map<String, String> headers = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            headers.put(Letter.readText(in), Letter.readText(in));
        }
        boolean keepsExcerpt = in.readBoolean();
        byte[] payload = Letter.readBytes(in);
        Destination destination = new Destination(Destinations.PULL, key.queue());
        Attempt attempt = new Attempt(
                key,
                timer,
                version,
                number,
                dueAt,
                attemptAt,
                lateness,
                payload,
                contentType,
                headers,
                destination,
                keepsExcerpt,
                null,
                false);
        return new Lease(id, attempt, expiresAt);
    }
}
