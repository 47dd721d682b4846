package io.tickwheel.server.cli;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Awaits an answer up to its last byte: the timeout of an {@link HttpRequest} ends with the head, and a server that stops behind that would be waited for without an end. */
final class WholeAnswer {

    private WholeAnswer() {}

    /**
     * Makes a call. Blocks until the answer is there as a whole.
     *
     * @param timeout from the beginning of the call on
     * @throws HttpTimeoutException when it is not there by then
     * @throws IOException when the call fails
     */
    static HttpResponse<String> await(HttpClient client, HttpRequest request, Duration timeout)
            throws IOException, InterruptedException {
        CompletableFuture<HttpResponse<String>> answer =
                client.sendAsync(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
        try {
            return answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new HttpTimeoutException("no answer within " + timeout);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException failure ? failure : new IOException(e.getCause());
        } finally {
            // Nobody waits for the rest: the connection is closed.
            answer.cancel(true);
        }
    }
}
