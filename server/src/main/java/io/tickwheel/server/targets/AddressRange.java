package io.tickwheel.server.targets;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A block of addresses of one family: {@code 10.0.0.0/8}, {@code fc00::/7}, or a single address. Immutable. */
final class AddressRange {

    private static final int IPV4_BYTES = 4;

    /** In front of an IPv4 address that is written as one of IPv6: it reaches the same machine. */
    private static final byte[] MAPPED = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1};

    private final String text;
    private final byte[] network;
    private final int bits;

    private AddressRange(String text, byte[] network, int bits) {
        this.text = text;
        this.network = network;
        this.bits = bits;
    }

    /**
     * Reads a block.
     *
     * @throws IllegalArgumentException with the rule that the text breaks
     */
    static AddressRange parse(String text) {
        int slash = text.indexOf('/');
        byte[] network = literal(slash < 0 ? text : text.substring(0, slash));
        int most = network == null ? 0 : network.length * Byte.SIZE;
        int bits = slash < 0 ? most : number(text.substring(slash + 1));
        if (network == null || bits < 0 || bits > most) {
            throw new IllegalArgumentException("must be an address, or one with '/' and how many of its bits count");
        }
        AddressRange range = new AddressRange(text, network, bits);
        if (!Arrays.equals(range.masked(network), network)) {
            throw new IllegalArgumentException("must have no bits behind the first " + bits);
        }
        return range;
    }

    private static byte @Nullable [] literal(String text) {
        boolean plain = text.indexOf('%') < 0 && text.indexOf('[') < 0;
        boolean valid = plain && (NetUtil.isValidIpV4Address(text) || NetUtil.isValidIpV6Address(text));
        return valid ? NetUtil.createByteArrayFromIpAddressString(text) : null;
    }

    private static int number(String digits) {
        return digits.matches("[0-9]{1,3}") ? Integer.parseInt(digits) : -1;
    }

    /** The bytes of an address in its own family: 4 for one of IPv4, however it is written. */
    static byte[] bytes(InetAddress address) {
        byte[] bytes = address.getAddress();
        boolean mapped = bytes.length > IPV4_BYTES && Arrays.equals(bytes, 0, MAPPED.length, MAPPED, 0, MAPPED.length);
        return mapped ? Arrays.copyOfRange(bytes, MAPPED.length, bytes.length) : bytes;
    }

    /** Asks for the bytes of an address, as {@link #bytes} has them. */
    boolean contains(byte[] address) {
        if (address.length != network.length) {
            return false;
        }
        int whole = bits / Byte.SIZE;
        if (!Arrays.equals(address, 0, whole, network, 0, whole)) {
            return false;
        }
        int rest = bits % Byte.SIZE;
        return rest == 0 || ((address[whole] ^ network[whole]) & mask(rest)) == 0;
    }

    private byte[] masked(byte[] address) {
        byte[] masked = Arrays.copyOf(Arrays.copyOf(address, (bits + 7) / Byte.SIZE), address.length);
        int rest = bits % Byte.SIZE;
        if (rest > 0) {
            masked[bits / Byte.SIZE] &= (byte) mask(rest);
        }
        return masked;
    }

    private static int mask(int bits) {
        return 0xFF & 0xFF << (Byte.SIZE - bits);
    }

    @Override
    public String toString() {
        return text;
    }
}
