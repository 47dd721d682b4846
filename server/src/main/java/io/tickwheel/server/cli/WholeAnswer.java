package io.tickwheel.server.cli;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Awaits an answer up to its last byte, within a time and a size: the timeout of an {@link HttpRequest} ends with the head, and a server that stops behind that, or never
 * stops, would be waited for without an end.
 */
final class WholeAnswer {

    /**
     * An eighth of the heap, from which an answer is text and then a tree, and 16 MiB at least: the largest answers are pages of 1,000 timers, and leases with their contents, which a server
     * bounds by a sixteenth of its own heap.
     */
    static final long MOST_BYTES = Math.max(16 << 20, Runtime.getRuntime().maxMemory() / 8);

    private WholeAnswer() {}

    /** What answers is no Tickwheel server, or was asked for too much. */
    static final class TooLargeException extends IOException {

        private static final long serialVersionUID = 1;

        TooLargeException(long mostBytes) {
            super("has answered with more than " + mostBytes + " bytes, which is the most that a command takes");
        }
    }

    /**
     * Makes a call. Blocks until the answer is there as a whole.
     *
     * @param timeout from the beginning of the call on
     * @param mostBytes how many the body may have, at least 0
     * @throws HttpTimeoutException when it is not there by then
     * @throws TooLargeException when its body has more bytes; what comes behind them is not read
     * @throws IOException when the call fails
     */
    static HttpResponse<String> await(HttpClient client, HttpRequest request, Duration timeout, long mostBytes)
            throws IOException, InterruptedException {
        CompletableFuture<HttpResponse<String>> answer = client.sendAsync(request, head -> new BoundedText(mostBytes));
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

    /** The text of a body, as long as it is not too large. */
    private static final class BoundedText implements HttpResponse.BodySubscriber<String> {

        private final HttpResponse.BodySubscriber<String> text =
                HttpResponse.BodySubscribers.ofString(StandardCharsets.UTF_8);

        private final long mostBytes;
        private Flow.@Nullable Subscription subscription;
        private long bytes;

        BoundedText(long mostBytes) {
            this.mostBytes = mostBytes;
        }

        @Override
        public CompletionStage<String> getBody() {
            return text.getBody();
        }

        @Override
        public void onSubscribe(Flow.Subscription begun) {
            subscription = begun;
            text.onSubscribe(begun);
        }

        @Override
        public void onNext(List<ByteBuffer> part) {
            if (bytes > mostBytes) {
                return;
            }
            bytes += part.stream().mapToLong(ByteBuffer::remaining).sum();
            if (bytes <= mostBytes) {
                text.onNext(part);
                return;
            }
            if (subscription != null) {
                subscription.cancel();
            }
            text.onError(new TooLargeException(mostBytes));
        }

        @Override
        public void onError(Throwable failure) {
            text.onError(failure);
        }

        @Override
        public void onComplete() {
            text.onComplete();
        }
    }
}
