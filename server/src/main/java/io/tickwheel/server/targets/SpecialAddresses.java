package io.tickwheel.server.targets;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The addresses that are no destination on the public Internet: those of IANA's special-purpose registries (RFC 6890) that are not
 * globally reachable, all that have an IPv4 address inside, and what clouds tell secrets at. Of IPv6, only 2000::/3 is in use.
 */
final class SpecialAddresses {

    private static final List<Block> BLOCKS = List.of(
            block("0.0.0.0/8", "unspecified"),
            block("10.0.0.0/8", "private"),
            block("100.64.0.0/10", "shared by the customers of a provider"),
            block("127.0.0.0/8", "loopback"),
            block("168.63.129.16/32", "the metadata of a cloud"),
            block("169.254.0.0/16", "link-local, with the metadata of clouds"),
            block("172.16.0.0/12", "private"),
            block("192.0.0.0/24", "of protocols"),
            block("192.0.2.0/24", "for documentation"),
            block("192.88.99.0/24", "6to4"),
            block("192.168.0.0/16", "private"),
            block("198.18.0.0/15", "for benchmarks"),
            block("198.51.100.0/24", "for documentation"),
            block("203.0.113.0/24", "for documentation"),
            block("224.0.0.0/4", "multicast"),
            block("240.0.0.0/4", "reserved"),
            block("::/128", "unspecified"),
            block("::1/128", "loopback"),
            block("::/96", "an IPv4 address in IPv6"),
            block("::ffff:0:0:0/96", "an IPv4 address in IPv6"),
            block("64:ff9b::/96", "NAT64"),
            block("64:ff9b:1::/48", "NAT64"),
            block("100::/64", "where packets are dropped"),
            block("2001::/32", "Teredo"),
            block("2001::/23", "of protocols"),
            block("2001:db8::/32", "for documentation"),
            block("2002::/16", "6to4"),
            block("3fff::/20", "for documentation"),
            block("fc00::/7", "private"),
            block("fe80::/10", "link-local"),
            block("fec0::/10", "site-local"),
            block("ff00::/8", "multicast"));
    private static final AddressRange UNICAST = AddressRange.parse("2000::/3");
    private static final AddressRange NAT64 = AddressRange.parse("64:ff9b::/96");

    /** Of this block a network takes a prefix for its own translators, of 96 bits as a rule (RFC 8215). */
    private static final AddressRange LOCAL_NAT64 = AddressRange.parse("64:ff9b:1::/48");

    private static final AddressRange TRANSLATED = AddressRange.parse("::ffff:0:0:0/96");
    private static final AddressRange SIX_TO_FOUR = AddressRange.parse("2002::/16");
    private static final AddressRange TEREDO = AddressRange.parse("2001::/32");
    private static final int IPV4_BYTES = 4;

    private SpecialAddresses() {}

    private record Block(AddressRange range, String name) {}

    private static Block block(String range, String name) {
        return new Block(AddressRange.parse(range), name);
    }

    /**
     * What an address is instead of public, with its block, such as {@code private (10.0.0.0/8)}; null for one that is public.
     *
     * @param address as {@link AddressRange#bytes} has it
     */
    static @Nullable String kind(byte[] address) {
        for (Block block : BLOCKS) {
            if (block.range.contains(address)) {
                return block.name + " (" + block.range + ")";
            }
        }
        return address.length == IPV4_BYTES || UNICAST.contains(address) ? null : "outside of 2000::/3";
    }

    /** The IPv4 address that packets to an IPv6 one are sent on to by a translator or a tunnel; null when there is none. */
    static byte @Nullable [] inner(byte[] address) {
        if (NAT64.contains(address) || LOCAL_NAT64.contains(address) || TRANSLATED.contains(address)) {
            return Arrays.copyOfRange(address, 12, 16);
        }
        if (SIX_TO_FOUR.contains(address)) {
            return Arrays.copyOfRange(address, 2, 6);
        }
        if (TEREDO.contains(address)) {
            byte[] client = Arrays.copyOfRange(address, 12, 16);
            for (int i = 0; i < client.length; i++) {
                client[i] = (byte) ~client[i];
            }
            return client;
        }
        return null;
    }
}
