package io.tickwheel.server.http;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.lang.reflect.Proxy;

/** A request that is nothing but its head. */
final class RequestOf {

    private RequestOf() {}

    /** One of HTTP/1.1 with these names and values in turn. */
    static HttpServerRequest headers(String... headers) {
        return head(HttpVersion.HTTP_1_1, "/", headers);
    }

    static HttpServerRequest head(HttpVersion version, String uri, String... headers) {
        MultiMap all = MultiMap.caseInsensitiveMultiMap();
        for (int i = 0; i < headers.length; i += 2) {
            all.add(headers[i], headers[i + 1]);
        }
        return (HttpServerRequest) Proxy.newProxyInstance(
                RequestOf.class.getClassLoader(),
                new Class<?>[] {HttpServerRequest.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "headers" -> all;
                    case "getHeader" -> all.get(String.valueOf(arguments[0]));
                    case "version" -> version;
                    case "uri" -> uri;
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }
}
