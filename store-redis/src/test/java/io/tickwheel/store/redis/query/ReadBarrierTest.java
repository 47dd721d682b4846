package io.tickwheel.store.redis.query;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ReadBarrierTest {

    private final ReadBarrier barrier = new ReadBarrier();
    private final List<String> through = new ArrayList<>();

    @Test
    void questionIsThroughAtOnceWhenNobodyIsInside() {
        barrier.whenThrough(() -> through.add("a"));
        assertThat(through).containsExactly("a");
        assertThat(barrier.isQuiet()).isTrue();
    }

    @Test
    void questionWaitsForThoseBeforeItAndForNoneAfter() {
        Runnable first = barrier.enter();
        barrier.whenThrough(() -> through.add("a"));
        Runnable second = barrier.enter();
        barrier.whenThrough(() -> through.add("b"));
        barrier.enter();
        second.run();
        barrier.work();
        assertThat(through).isEmpty();
        first.run();
        barrier.work();
        assertThat(through).containsExactly("a", "b");
        assertThat(barrier.inside()).isEqualTo(1);
        assertThat(barrier.isQuiet()).isFalse();
    }
}
