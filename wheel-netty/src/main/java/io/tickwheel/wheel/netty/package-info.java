/**
 * A {@link io.netty.util.Timer} over {@link io.tickwheel.wheel.WheelTimer}, for everything that is given a
 * {@code HashedWheelTimer} today. The switch is one line:
 *
 * <pre>{@code
 * Timer timer = new HashedWheelTimer(threadFactory, 10, MILLISECONDS);
 * Timer timer = new NettyWheelTimer(threadFactory, 10, MILLISECONDS);
 * }</pre>
 */
@NullMarked
package io.tickwheel.wheel.netty;

import org.jspecify.annotations.NullMarked;
