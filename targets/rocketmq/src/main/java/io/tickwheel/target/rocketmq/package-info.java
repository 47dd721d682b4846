/** Timers as messages of RocketMQ 5, through its proxy: how a destination is written, and the target with its one producer. Knows no server and no store. */
@NullMarked
package io.tickwheel.target.rocketmq;

import org.jspecify.annotations.NullMarked;
