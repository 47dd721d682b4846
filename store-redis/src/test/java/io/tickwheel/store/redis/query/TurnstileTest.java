package io.tickwheel.store.redis.query;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TurnstileTest {

    private final Turnstile turnstile = new Turnstile();
    private final List<String> through = new ArrayList<>();

    @Test
    void questionIsThroughAtOnceWhenNobodyIsInside() {
        turnstile.whenThrough(() -> through.add("a"));
        assertThat(through).containsExactly("a");
        assertThat(turnstile.isQuiet()).isTrue();
    }

    @Test
    void questionWaitsForThoseBeforeItAndForNoneAfter() {
        Runnable first = turnstile.enter();
        turnstile.whenThrough(() -> through.add("a"));
        Runnable second = turnstile.enter();
        turnstile.whenThrough(() -> through.add("b"));
        turnstile.enter();
        second.run();
        turnstile.work();
        assertThat(through).isEmpty();
        first.run();
        turnstile.work();
        assertThat(through).containsExactly("a", "b");
        assertThat(turnstile.inside()).isEqualTo(1);
        assertThat(turnstile.isQuiet()).isFalse();
    }
}
