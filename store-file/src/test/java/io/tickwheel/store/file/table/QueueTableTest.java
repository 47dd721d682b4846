package io.tickwheel.store.file.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Lane;
import org.junit.jupiter.api.Test;

final class QueueTableTest {

    private final QueueTable table = new QueueTable();
    private final QueueTable.Queue queue = table.get("q");

    @Test
    void lanesOfAQueueAreToldApartByTheirRoutes() {
        StoreLane first = table.get(queue, 1);
        StoreLane second = table.get(queue, 2);

        assertThat(first.lane).isEqualTo(new Lane("q", 1));
        assertThat(second.lane).isEqualTo(new Lane("q", 2));
        assertThat(table.get(queue, 1)).isSameAs(first).isSameAs(table.get(new Lane("q", 1)));
        assertThat(table.get(queue, 1)).isSameAs(first);
        assertThat(queue.lanes()).containsExactly(first, second);
    }

    /** Tables that are looked up by number do not grow with the queues that come and go. */
    @Test
    void numbersOfForgottenQueuesAndLanesAreGivenAgain() {
        table.get(queue, 1);
        table.count(queue, false, 1);
        table.completed();
        for (int i = 0; i < 100; i++) {
            QueueTable.Queue other = table.get("q" + i);
            table.get(other, 1);
            table.get(other, 2);
            table.count(other, true, 1);
            table.count(other, true, -1);
            assertThat(table.find("q" + i)).isNull();
        }
        assertThat(table.get("last").number).isLessThan(3);
        assertThat(table.laneNames()).hasSizeLessThan(5);
    }

    @Test
    void queueThatIsEmptyWhenAllIsCountedIsForgotten() {
        table.count(queue, false, 1);
        table.count(queue, false, -1);
        assertThat(table.find("q")).isSameAs(queue);
        table.completed();
        assertThat(table.find("q")).isNull();
    }

    @Test
    void laneOfAForgottenQueueIsNotGivenAgain() {
        StoreLane old = table.get(queue, 1);
        table.count(queue, false, 1);
        table.completed();
        table.count(queue, false, -1);

        assertThat(old.isForgotten()).isTrue();
        StoreLane again = table.get(queue, 1);
        assertThat(again).isNotSameAs(old);
        assertThat(again.isForgotten()).isFalse();
        assertThat(again.queue).isSameAs(table.find("q")).isNotSameAs(queue);
    }
}
