package io.tickwheel.benchmarks.power;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Arrays;
import java.util.SplittableRandom;

/** What a timer carries: its token, and bytes that follow from it, so that a damaged one is known. */
final class Payload {

    private static final int MAX_FILLING_BYTES = 1_500;

    private Payload() {}

    static byte[] of(String token) {
        SplittableRandom random = new SplittableRandom(token.hashCode());
        byte[] head = (token + " ").getBytes(US_ASCII);
        byte[] payload = Arrays.copyOf(head, head.length + random.nextInt(MAX_FILLING_BYTES));
        for (int i = head.length; i < payload.length; i++) {
            payload[i] = (byte) random.nextInt();
        }
        return payload;
    }

    /** The token of a payload, or a text that is nobody's token. */
    static String token(byte[] payload) {
        String token = new String(payload, US_ASCII).split(" ", 2)[0];
        return Arrays.equals(payload, of(token)) ? token : "damaged";
    }
}
