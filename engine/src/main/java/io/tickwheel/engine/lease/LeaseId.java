package io.tickwheel.engine.lease;

import io.tickwheel.engine.TimerNames;
import io.tickwheel.store.TimerKey;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * What the id of a lease says. Immutable.
 *
 * <pre>
 *   tmr_1hgan0e7jftgh_1 . 2 . 9f86d081884c7d65 . 2c26b46b68ffc68f . dGh1bWJuYWlscwBpbWFnZS00Mg
 *   id of the timer  attempt       holder             nonce           queue, 0, key
 * </pre>
 *
 * The holder and the nonce have 16 hexadecimal digits each, queue and key are Base64 of their UTF-8, of the alphabet for URLs and without padding: stores find a
 * timer by its key only. A lease has one id, so two texts that differ are those of two leases.
 *
 * @param key the timer's
 * @param timer the id of the timer, which has no dots
 * @param attempt the number of the attempt that the lease is
 * @param holder a random number of the opening of the engine that gave the lease
 * @param nonce 64 bits that no other lease of that timer has
 */
public record LeaseId(TimerKey key, String timer, int attempt, long holder, long nonce) {

    private static final int PARTS = 5;
    private static final char SEPARATOR = '\0';
    private static final HexFormat HEX = HexFormat.of();

    /** Reads what {@link #toString} wrote; null when the text is no id of a lease. */
    public static @Nullable LeaseId read(String text) {
        String[] parts = text.split("\\.", PARTS + 1);
        if (parts.length != PARTS) {
            return null;
        }
        LeaseId read;
        try {
            String name = new String(Base64.getUrlDecoder().decode(parts[4]), StandardCharsets.UTF_8);
            int separator = name.indexOf(SEPARATOR);
            if (separator < 0) {
                return null;
            }
            read = new LeaseId(
                    TimerNames.check(name.substring(0, separator), name.substring(separator + 1)),
                    parts[0],
                    Integer.parseInt(parts[1]),
                    HexFormat.fromHexDigitsToLong(parts[2]),
                    HexFormat.fromHexDigitsToLong(parts[3]));
        } catch (IllegalArgumentException e) {
            return null;
        }
        return read.attempt > 0 && read.toString().equals(text) ? read : null;
    }

    /** The id, as consumers are given it. */
    @Override
    public String toString() {
        byte[] name = (key.queue() + SEPARATOR + key.key()).getBytes(StandardCharsets.UTF_8);
        return timer + "." + attempt + "." + HEX.toHexDigits(holder) + "." + HEX.toHexDigits(nonce) + "."
                + Base64.getUrlEncoder().withoutPadding().encodeToString(name);
    }
}
