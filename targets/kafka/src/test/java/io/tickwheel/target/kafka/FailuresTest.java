package io.tickwheel.target.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;

final class FailuresTest {

    /** Every attempt would fail with it until the next start. */
    @Test
    void producerThatIsOfNoMoreUseIsLeft() {
        assertThat(Failures.endsProducer(new KafkaException("closed while it sent")))
                .isTrue();
        assertThat(Failures.endsProducer(new IllegalStateException("closed"))).isTrue();
        assertThat(Failures.endsProducer(new ProducerFencedException("no"))).isTrue();
        assertThat(Failures.endsProducer(new OutOfOrderSequenceException("no"))).isTrue();
        assertThat(Failures.endsProducer(new ClusterAuthorizationException("no")))
                .isTrue();
    }

    @Test
    void producerIsKeptWhereATopicOrARecordIsAtFault() {
        assertThat(Failures.endsProducer(new TimeoutException("no"))).isFalse();
        assertThat(Failures.endsProducer(new UnknownTopicOrPartitionException("no")))
                .isFalse();
        assertThat(Failures.endsProducer(new TopicAuthorizationException("no"))).isFalse();
        assertThat(Failures.endsProducer(new RecordTooLargeException("no"))).isFalse();
    }

    @Test
    void onlyWhatMayBeTriedAgainSaysThatNobodyWasReached() {
        assertThat(Failures.isAway(new TimeoutException("no"))).isTrue();
        assertThat(Failures.isAway(new TopicAuthorizationException("no"))).isFalse();
        assertThat(Failures.isForGood(new InvalidTopicException("no"))).isTrue();
        assertThat(Failures.isForGood(new TimeoutException("no"))).isFalse();
    }
}
