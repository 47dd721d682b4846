package io.tickwheel.engine;

import java.io.IOException;

/** Delivers timers inside this program whose payloads are of a type; see {@link TimerHandler}. */
@FunctionalInterface
public interface TypedHandler<T> {

    void handle(Attempt attempt, T payload) throws Exception;

    /** The handler that reads payloads for another one. What cannot be read today cannot be read tomorrow: its timer is dead. */
    static <T> TimerHandler reading(PayloadCodec<T> codec, TypedHandler<T> handler) {
        return attempt -> {
            T payload;
            try {
                payload = codec.decode(attempt.payload());
            } catch (IOException | RuntimeException e) {
                throw new NeverAgainException("the payload cannot be read: " + e);
            }
            handler.handle(attempt, payload);
        };
    }
}
