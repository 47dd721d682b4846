package io.tickwheel.opentelemetry;

import io.opentelemetry.sdk.trace.IdGenerator;

/** Gives a span the identity that was said just before, on the same thread. */
final class NextSpanId implements IdGenerator {

    private final ThreadLocal<String> next = new ThreadLocal<>();

    void is(String span) {
        next.set(span);
    }

    @Override
    public String generateSpanId() {
        String span = next.get();
        if (span == null) {
            throw new IllegalStateException("the spans of attempts are begun by AttemptSpans only");
        }
        next.remove();
        return span;
    }

    @Override
    public String generateTraceId() {
        throw new IllegalStateException("an attempt goes on in the trace of its timer, and begins none");
    }
}
