/** Timers as records of Kafka: how a destination is written, and the target with its one producer. Knows no server and no store. */
@NullMarked
package io.tickwheel.target.kafka;

import org.jspecify.annotations.NullMarked;
