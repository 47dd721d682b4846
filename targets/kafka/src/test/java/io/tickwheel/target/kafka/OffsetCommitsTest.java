package io.tickwheel.target.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.DisconnectException;
import org.junit.jupiter.api.Test;

/** What is committed when, with brokers that answer when the test says so. */
final class OffsetCommitsTest {

    private static final Uuid TOPIC = new Uuid(7, 8);
    private static final TopicPartition PARTITION = new TopicPartition("in", 0);

    private record Commit(Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback told) {

        void succeed() {
            told.onComplete(offsets, null);
        }

        void fail() {
            told.onComplete(offsets, new DisconnectException());
        }
    }

    private final ManualClock clock = new ManualClock();
    private final PartitionOffsets offsets = new PartitionOffsets(PARTITION, TOPIC);
    private final Map<TopicPartition, PartitionOffsets> ours = new HashMap<>(Map.of(PARTITION, offsets));
    private final List<Commit> sent = new ArrayList<>();
    private final OffsetCommits commits =
            new OffsetCommits(clock, ours, (those, told) -> sent.add(new Commit(those, told)));

    private void read(long offset) {
        offsets.begin(offset);
        offsets.end(offset);
    }

    private void send(int afterMs) {
        clock.advance(Duration.ofMillis(afterMs));
        commits.send();
    }

    private static Map<TopicPartition, OffsetAndMetadata> at(long offset) {
        return Map.of(PARTITION, TopicMark.at(offset, TOPIC));
    }

    @Test
    void commitThatFailedIsMadeAgainWithWhatHasEndedSince() {
        read(10);
        send(100);
        assertThat(sent).hasSize(1);
        assertThat(sent.get(0).offsets()).isEqualTo(at(11));
        sent.get(0).fail();
        send(99);
        assertThat(sent).as("too soon").hasSize(1);
        send(1);
        assertThat(sent).hasSize(2);
        assertThat(sent.get(1).offsets()).as("as before").isEqualTo(at(11));
        sent.get(1).fail();
        read(11);
        send(100);
        assertThat(sent.get(2).offsets()).isEqualTo(at(12));
        sent.get(2).succeed();
        send(100);
        assertThat(sent).as("there is nothing left").hasSize(3);
        assertThat(commits.open(Set.of(PARTITION))).isEmpty();
    }

    @Test
    void oneCommitIsUnderWayAndNotTooMany() {
        read(10);
        send(99);
        assertThat(sent).isEmpty();
        send(1);
        assertThat(sent).hasSize(1);
        read(11);
        send(1_000);
        assertThat(sent).as("the first one is not answered").hasSize(1);
        sent.get(0).succeed();
        send(0);
        assertThat(sent.get(1).offsets()).isEqualTo(at(12));
    }

    /** Whoever has it now says how far it is. */
    @Test
    void partitionThatIsGivenAwayIsNotCommitted() {
        read(10);
        send(100);
        ours.clear();
        sent.get(0).succeed();
        send(100);
        assertThat(sent).hasSize(1);
        assertThat(commits.open(Set.of(PARTITION))).isEmpty();
    }
}
