package io.tickwheel.target.kafka;

import io.tickwheel.engine.Delivery;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * An attempt on its way.
 *
 * @param record what is sent
 * @param delivery whom to tell how it ended
 * @param sinceNanos when it came, on the monotonic clock
 * @param isProbe whether it finds out if the brokers take the topic again
 */
record Sending(ProducerRecord<byte[], byte[]> record, Delivery delivery, long sinceNanos, boolean isProbe) {}
