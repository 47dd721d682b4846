package io.tickwheel.server.targets;

import io.netty.util.NetUtil;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where a callback goes, in the form that is stored: {@code POST http://shop:8080/close?x=1}.
 *
 * @param method one of {@link #METHODS}
 * @param tls whether the scheme is https
 * @param host a name, an IPv4 address, or an IPv6 address in brackets, as Vert.x wants it: without an IPv4 address inside, so
 *     that {@code [::ffff:127.0.0.1]} is 127.0.0.1 and {@code [64:ff9b::1.2.3.4]} is {@code [64:ff9b::102:304]}
 * @param port 1 to 65535
 * @param uri path and query, from the first slash
 */
public record HttpAddress(String method, boolean tls, String host, int port, String uri) {

    static final List<String> METHODS = List.of("POST", "PUT", "PATCH", "DELETE", "GET");
    static final int MAX_URL_CHARS = 2_048;

    /** Labels of at most 63 characters between single dots; a longer or an empty one is in no name service. */
    private static final Pattern NAME = Pattern.compile("(?!-)[A-Za-z0-9_-]{1,63}(\\.[A-Za-z0-9_-]{1,63})*(?<!-)\\.?");

    private static final int MAX_NAME_CHARS = 253;

    /** What the last label must not be: some resolvers take {@code 0x7f.1} and {@code 127.1} for addresses. */
    private static final Pattern NUMBER = Pattern.compile("[0-9]+|0[xX][0-9A-Fa-f]*");

    private static final Pattern NUMBERS = Pattern.compile("[0-9.]+");
    private static final Pattern GROUPS = Pattern.compile("(?!.*[0-9A-Fa-f]{5})[0-9A-Fa-f:.]+");
    private static final String NO_MULTICAST = "must not have a multicast address, which nobody can connect to";
    private static final String FORBIDDEN = "\"<>\\^`{|}";

    /** Reads a stored address; what is wrong with it was refused before it was stored. */
    public static HttpAddress parse(String address) {
        int blank = address.indexOf(' ');
        if (blank <= 0) {
            throw new IllegalArgumentException("must be a method and a URL");
        }
        return of(address.substring(0, blank), address.substring(blank + 1));
    }

    /**
     * Takes a URL apart.
     *
     * @throws IllegalArgumentException with the rule that the URL breaks
     */
    public static HttpAddress of(String method, String url) {
        checkCharacters(url);
        boolean tls = url.regionMatches(true, 0, "https://", 0, 8);
        if (!tls && !url.regionMatches(true, 0, "http://", 0, 7)) {
            throw new IllegalArgumentException("must begin with http:// or https://");
        }
        int from = tls ? 8 : 7;
        int end = from;
        while (end < url.length() && url.charAt(end) != '/' && url.charAt(end) != '?') {
            end++;
        }
        String authority = url.substring(from, end);
        if (authority.indexOf('@') >= 0) {
            throw new IllegalArgumentException("must have no user info");
        }
        int hostEnd = hostEnd(authority);
        String host = host(authority.substring(0, hostEnd));
        int port = port(authority.substring(hostEnd), tls ? 443 : 80);
        String uri = url.substring(end);
        if (!uri.startsWith("/")) {
            uri = "/" + uri;
        }
        return new HttpAddress(method, tls, host, port, uri);
    }

    /** Scheme, host and port: what of it decides whether it can be reached. Kept with timers, so it must stay as it is. */
    public String origin() {
        return (tls ? "https://" : "http://") + host.toLowerCase(Locale.ROOT) + ":" + port;
    }

    /** The address that the host is; null when it is a name. */
    @Nullable
    InetAddress literal() {
        char first = host.charAt(0);
        byte[] bytes = first == '[' || isDigit(first) ? NetUtil.createByteArrayFromIpAddressString(host) : null;
        try {
            return bytes == null ? null : InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("bytes of an address are of none", e);
        }
    }

    @Override
    public String toString() {
        return method + (tls ? " https://" : " http://") + host + ":" + port + uri;
    }

    private static void checkCharacters(String url) {
        if (url.length() > MAX_URL_CHARS) {
            throw new IllegalArgumentException(
                    "has " + url.length() + " characters, must have at most " + MAX_URL_CHARS);
        }
        for (int i = 0; i < url.length(); i++) {
            char c = url.charAt(i);
            if (c <= 0x20 || c >= 0x7F || FORBIDDEN.indexOf(c) >= 0) {
                throw new IllegalArgumentException("has the character " + String.format(Locale.ROOT, "U+%04X", (int) c)
                        + " at " + i + ", must be percent-encoded");
            }
            if (c == '#') {
                throw new IllegalArgumentException("must have no fragment");
            }
            if (c == '%' && !isEscape(url, i)) {
                throw new IllegalArgumentException("must have two hex digits after each '%'");
            }
        }
    }

    private static boolean isEscape(String url, int percent) {
        return percent + 2 < url.length()
                && Character.digit(url.charAt(percent + 1), 16) >= 0
                && Character.digit(url.charAt(percent + 2), 16) >= 0;
    }

    private static int hostEnd(String authority) {
        if (authority.startsWith("[")) {
            int bracket = authority.indexOf(']');
            return bracket < 0 ? authority.length() : bracket + 1;
        }
        int colon = authority.indexOf(':');
        return colon < 0 ? authority.length() : colon;
    }

    private static String host(String text) {
        if (text.startsWith("[")) {
            return ipv6(text);
        }
        if (NUMBERS.matcher(text).matches()) {
            return ipv4(text);
        }
        if (text.length() > MAX_NAME_CHARS || !NAME.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "must have a host of letters, digits, '-' and '_', at most 63 between two dots and "
                            + MAX_NAME_CHARS + " in all");
        }
        if (endsInNumber(text)) {
            throw new IllegalArgumentException("must not have a name that ends in a number");
        }
        return text;
    }

    private static boolean endsInNumber(String name) {
        int end = name.endsWith(".") ? name.length() - 1 : name.length();
        int start = name.lastIndexOf('.', end - 1) + 1;
        return isDigit(name.charAt(start))
                && NUMBER.matcher(name).region(start, end).matches();
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static String ipv4(String text) {
        if (!NetUtil.isValidIpV4Address(text)) {
            throw new IllegalArgumentException("must have four numbers up to 255 in an IPv4 address");
        }
        int first = NetUtil.createByteArrayFromIpAddressString(text)[0] & 0xFF;
        if (first >= 224 && first < 240) {
            throw new IllegalArgumentException(NO_MULTICAST);
        }
        return text;
    }

    private static String ipv6(String text) {
        String literal = text.endsWith("]") ? text.substring(1, text.length() - 1) : "";
        InetAddress address;
        try {
            // In brackets it is taken for an address and never looked up; one with an IPv4 address mapped into it comes
            // as that.
            address = GROUPS.matcher(literal).matches() ? InetAddress.getByName(text) : null;
        } catch (UnknownHostException e) {
            address = null;
        }
        if (address == null) {
            throw new IllegalArgumentException("must have an IPv6 address without a zone between '[' and ']'");
        }
        if (!(address instanceof Inet6Address six)) {
            return ipv4(address.getHostAddress());
        }
        if (six.isMulticastAddress()) {
            throw new IllegalArgumentException(NO_MULTICAST);
        }
        if (six.isIPv4CompatibleAddress() && !six.isAnyLocalAddress() && !six.isLoopbackAddress()) {
            throw new IllegalArgumentException("must not have an IPv4-compatible address, which nobody can connect to");
        }
        return text(six);
    }

    /** An address in the form of a host. */
    static String text(InetAddress address) {
        String text = NetUtil.toAddressString(address);
        return address instanceof Inet6Address ? "[" + text + "]" : text;
    }

    private static int port(String text, int absent) {
        if (text.isEmpty()) {
            return absent;
        }
        boolean digits = text.length() >= 2 && text.length() <= 6 && text.charAt(0) == ':';
        int port = 0;
        for (int i = 1; digits && i < text.length(); i++) {
            digits = isDigit(text.charAt(i));
            port = port * 10 + (text.charAt(i) - '0');
        }
        if (!digits || port < 1 || port > 65_535) {
            throw new IllegalArgumentException("must have a port from 1 to 65535");
        }
        return port;
    }
}
