package io.tickwheel.server;

import io.netty.util.NetUtil;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Where a callback goes, in the form that is stored: {@code POST http://shop:8080/close?x=1}.
 *
 * @param method one of {@link #METHODS}
 * @param tls whether the scheme is https
 * @param host a name, an IPv4 address, or an IPv6 address in brackets, as Vert.x wants it
 * @param port 1 to 65535
 * @param uri path and query, from the first slash
 */
record HttpAddress(String method, boolean tls, String host, int port, String uri) {

    static final List<String> METHODS = List.of("POST", "PUT", "PATCH", "DELETE", "GET");
    static final int MAX_URL_CHARS = 2_048;

    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9_.])?");
    private static final String FORBIDDEN = "\"<>\\^`{|}";

    /** Reads a stored address; what is wrong with it was refused before it was stored. */
    static HttpAddress parse(String address) {
        int blank = address.indexOf(' ');
        if (blank < 0) {
            throw new IllegalArgumentException("must be a method and a URL");
        }
        return of(address.substring(0, blank), address.substring(blank + 1));
    }

    /** @throws IllegalArgumentException with the rule that the URL breaks */
    static HttpAddress of(String method, String url) {
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
        String host = authority.substring(0, hostEnd);
        int port = port(authority.substring(hostEnd), tls ? 443 : 80);
        String uri = url.substring(end);
        if (!uri.startsWith("/")) {
            uri = "/" + uri;
        }
        return new HttpAddress(method, tls, host, port, uri);
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
        int end;
        if (authority.startsWith("[")) {
            end = authority.indexOf(']') + 1;
            String literal = end < 4 ? "" : authority.substring(1, end - 1);
            if (literal.indexOf('%') >= 0 || !NetUtil.isValidIpV6Address(literal)) {
                throw new IllegalArgumentException("must have an IPv6 address without a zone between '[' and ']'");
            }
            return end;
        }
        end = authority.indexOf(':');
        end = end < 0 ? authority.length() : end;
        if (end == 0 || end > 253 || !HOST.matcher(authority).region(0, end).matches()) {
            throw new IllegalArgumentException("must have a host of letters, digits, '.', '-' and '_'");
        }
        return end;
    }

    private static int port(String text, int absent) {
        if (text.isEmpty()) {
            return absent;
        }
        boolean digits = text.length() >= 2 && text.length() <= 6 && text.charAt(0) == ':';
        int port = 0;
        for (int i = 1; digits && i < text.length(); i++) {
            digits = text.charAt(i) >= '0' && text.charAt(i) <= '9';
            port = port * 10 + (text.charAt(i) - '0');
        }
        if (!digits || port < 1 || port > 65_535) {
            throw new IllegalArgumentException("must have a port from 1 to 65535");
        }
        return port;
    }
}
