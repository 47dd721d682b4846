/**
 * Kafka as a target: how a destination is written, and the one producer; and as a source: records with a delay in a header, which become timers and then records again. Knows
 * no server and no store.
 */
@NullMarked
package io.tickwheel.target.kafka;

import org.jspecify.annotations.NullMarked;
