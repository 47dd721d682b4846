package io.tickwheel.engine.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MpscQueueTest {

    private final MpscQueue<Numbered> queue = new MpscQueue<>();

    private static final class Numbered extends MpscQueue.Link {

        final int producer;
        final int number;

        Numbered(int producer, int number) {
            this.producer = producer;
            this.number = number;
        }
    }

    private boolean add(int number) {
        return queue.add(new Numbered(0, number));
    }

    private @Nullable Integer poll() {
        Numbered polled = queue.poll();
        return polled == null ? null : polled.number;
    }

    @Test
    void whatCameFirstIsTakenFirst() {
        assertThat(poll()).isNull();
        add(1);
        add(2);
        assertThat(poll()).isEqualTo(1);
        add(3);
        assertThat(poll()).isEqualTo(2);
        assertThat(poll()).isEqualTo(3);
        assertThat(poll()).isNull();
    }

    @Test
    void whatIsInWhenItClosesIsTakenAndNothingElse() {
        add(1);
        add(2);
        assertThat(poll()).isEqualTo(1);
        add(3);
        queue.close();
        assertThat(add(4)).isFalse();
        queue.close();
        assertThat(poll()).isEqualTo(2);
        assertThat(poll()).isEqualTo(3);
        assertThat(poll()).isNull();
        assertThat(poll()).as("closed for good").isNull();
        assertThat(add(5)).isFalse();
    }

    @Test
    void nothingIsLostOrOvertakenAmongManyProducers() {
        int each = 100_000;
        List<CompletableFuture<Void>> producers = new ArrayList<>();
        for (int p = 0; p < 3; p++) {
            int producer = p;
            producers.add(CompletableFuture.runAsync(() -> {
                for (int i = 0; i < each; i++) {
                    queue.add(new Numbered(producer, i));
                }
            }));
        }
        int[] next = new int[3];
        while (next[0] + next[1] + next[2] < 3 * each) {
            Numbered polled = queue.poll();
            if (polled == null) {
                assertThat(producers).noneMatch(CompletableFuture::isCompletedExceptionally);
                Thread.onSpinWait();
            } else {
                assertThat(polled.number).isEqualTo(next[polled.producer]++);
            }
        }
        assertThat(queue.poll()).isNull();
    }
}
