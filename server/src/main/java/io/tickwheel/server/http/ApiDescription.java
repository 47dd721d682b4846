package io.tickwheel.server.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;

/** The API as OpenAPI 3.1 has it: a resource, which is served as it is, and which a test holds against {@link Route} and against real answers. */
final class ApiDescription {

    static final CharSequence TYPE = HttpHeaders.createOptimized("application/json");
    static final Buffer BYTES = read();

    private ApiDescription() {}

    private static Buffer read() {
        try (InputStream in = ApiDescription.class.getResourceAsStream("openapi.json")) {
            return Buffer.buffer(Objects.requireNonNull(in).readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException("openapi.json cannot be read", e);
        }
    }
}
