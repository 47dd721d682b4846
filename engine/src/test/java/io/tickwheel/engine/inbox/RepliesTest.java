package io.tickwheel.engine.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

final class RepliesTest {

    private final List<Runnable> tasks = new ArrayList<>();
    private final List<String> completed = new ArrayList<>();
    private boolean isShutDown;
    private final Replies replies = new Replies(task -> {
        if (isShutDown) {
            throw new RejectedExecutionException("shut down");
        }
        tasks.add(task);
    });

    private void add(String name) {
        replies.add(() -> completed.add(name));
    }

    @Test
    void repliesOfATurnAreCompletedElsewhereInOneTask() {
        add("a");
        add("b");
        replies.send();
        replies.send();
        assertThat(completed).isEmpty();
        assertThat(tasks).hasSize(1);
        tasks.get(0).run();
        assertThat(completed).containsExactly("a", "b");
    }

    /** As when an engine ends whose threads have ended before: somebody waits for the answer. */
    @Test
    void repliesThatNobodyElseTakesAreCompletedHere() {
        isShutDown = true;
        add("a");
        add("b");
        replies.send();
        assertThat(completed).containsExactly("a", "b");
    }
}
