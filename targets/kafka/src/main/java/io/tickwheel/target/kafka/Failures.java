package io.tickwheel.target.kafka;

import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.UnsupportedVersionException;

/** What becomes of an attempt that Kafka's producer has given up. */
final class Failures {

    private Failures() {}

    /** Asks whether no later attempt can succeed. */
    static boolean isForGood(Exception failure) {
        return failure instanceof RecordTooLargeException
                || failure instanceof RecordBatchTooLargeException
                || failure instanceof InvalidTopicException
                || failure instanceof InvalidRecordException;
    }

    /** Asks whether no broker has answered in time; the producer itself tries again what is of this kind, until then. */
    static boolean isAway(Exception failure) {
        return failure instanceof RetriableException;
    }

    /** Asks whether the producer can send nothing more, and another one is needed. */
    static boolean endsProducer(Exception failure) {
        return !(failure instanceof ApiException)
                || failure instanceof ClusterAuthorizationException
                || failure instanceof InvalidProducerEpochException
                || failure instanceof OutOfOrderSequenceException
                || failure instanceof ProducerFencedException
                || failure instanceof UnsupportedVersionException;
    }

    static String reason(String topic, Exception failure) {
        return "topic " + topic + ": " + failure.getClass().getSimpleName().replace("Exception", "") + ": "
                + failure.getMessage();
    }
}
