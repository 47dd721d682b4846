package io.tickwheel.server.http;

import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.tickwheel.server.wire.Excerpt;
import io.tickwheel.server.wire.Problem;
import io.tickwheel.server.wire.ProblemCode;
import io.tickwheel.server.wire.ProblemException;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The rules for request lines and headers that hold for every call, RFC 9112 taken strictly. */
final class RequestHead {

    private RequestHead() {}

    /** Why a request that Netty could not read, or {@link HeadWatch} did not let through, is refused. */
    static Problem unreadable(HttpServerRequest request) {
        Throwable cause = request.decoderResult().cause();
        if (cause instanceof ProblemException refused) {
            return refused.problem();
        }
        if (cause instanceof TooLongHttpLineException) {
            return new Problem(
                    ProblemCode.URI_TOO_LONG, "the request line is too long, must have at most " + Limits.REQUEST_LINE);
        }
        if (cause instanceof TooLongHttpHeaderException) {
            return new Problem(
                    ProblemCode.HEADERS_TOO_LARGE, "the headers are too large, must have at most " + Limits.HEADERS);
        }
        return malformed("the request line or a header breaks RFC 9112");
    }

    /** The first rule of framing that the head breaks; null when it breaks none. */
    static @Nullable Problem check(HttpServerRequest request) {
        MultiMap headers = request.headers();
        HttpVersion version = request.version();
        int hosts = headers.getAll("Host").size();
        if (hosts > 1 || (hosts == 0 && version == HttpVersion.HTTP_1_1)) {
            return malformed("the request has " + hosts + " Host headers, must have one");
        }
        String host = headers.get("Host");
        if (host != null && !isAuthority(host)) {
            return malformed("Host is " + Excerpt.quoted(host) + ", must be a host and perhaps a port");
        }
        if (headers.contains("")) {
            return malformed("a header has no name");
        }
        if (request.uri().indexOf('#') >= 0) {
            return malformed("the target has a '#', must have no fragment");
        }
        String encoding = headers.get("Transfer-Encoding");
        if (encoding != null) {
            boolean chunked = encoding.equalsIgnoreCase("chunked")
                    && headers.getAll("Transfer-Encoding").size() == 1;
            if (!chunked || version == HttpVersion.HTTP_1_0 || headers.contains("Content-Length")) {
                return malformed("Transfer-Encoding must be chunked, in HTTP/1.1, without Content-Length");
            }
        } else if (!isLength(headers)) {
            return malformed("Content-Length must be one number");
        }
        for (String expect : headers.getAll("Expect")) {
            if (!expect.equalsIgnoreCase("100-continue")) {
                return new Problem(
                        ProblemCode.EXPECTATION_FAILED,
                        "Expect is " + Excerpt.quoted(expect) + ", must be 100-continue",
                        "Expect");
            }
        }
        return null;
    }

    /** Why the body is not taken; null when it is. */
    static @Nullable Problem checkContent(HttpServerRequest request, String wanted) {
        for (String encoding : request.headers().getAll("Content-Encoding")) {
            if (!encoding.equalsIgnoreCase("identity")) {
                return new Problem(
                        ProblemCode.UNSUPPORTED_CONTENT_ENCODING,
                        "Content-Encoding is " + Excerpt.quoted(encoding) + ", must be absent",
                        "Content-Encoding");
            }
        }
        List<String> types = request.headers().getAll("Content-Type");
        if (types.size() == 1 && (types.get(0).equals(wanted) || isType(types.get(0), wanted))) {
            return null;
        }
        return new Problem(
                ProblemCode.UNSUPPORTED_MEDIA_TYPE,
                "Content-Type is " + (types.isEmpty() ? "absent" : Excerpt.quoted(String.join(", ", types)))
                        + ", must be " + wanted,
                "Content-Type");
    }

    private static boolean isType(String type, String wanted) {
        String[] parts = type.toLowerCase(Locale.ROOT).split(";", -1);
        if (!parts[0].strip().equals(wanted) || parts.length > 2) {
            return false;
        }
        return parts.length == 1 || parts[1].strip().replace("\"", "").equals("charset=utf-8");
    }

    private static boolean isAuthority(String host) {
        for (int i = 0; i < host.length(); i++) {
            char c = host.charAt(i);
            boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            if (!letter && !isDigit(c) && "-._~!$&'()*+,;=%:[]".indexOf(c) < 0) {
                return false;
            }
        }
        return !host.isEmpty();
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isLength(MultiMap headers) {
        String length = headers.get("Content-Length");
        if (length == null) {
            return true;
        }
        if (length.isEmpty() || headers.getAll("Content-Length").size() > 1) {
            return false;
        }
        for (int i = 0; i < length.length(); i++) {
            if (!isDigit(length.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static Problem malformed(String detail) {
        return new Problem(ProblemCode.MALFORMED_REQUEST, detail);
    }
}
