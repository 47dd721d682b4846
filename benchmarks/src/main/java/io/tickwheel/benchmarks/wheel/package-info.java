/**
 * The timing wheel against its peers. Every figure comes from a JVM of its own, so that one contender's profile does not
 * spoil another's: a {@link io.tickwheel.benchmarks.wheel.WheelProgram} forks one {@link
 * io.tickwheel.benchmarks.wheel.Measurement} after the other.
 */
@NullMarked
package io.tickwheel.benchmarks.wheel;

import org.jspecify.annotations.NullMarked;
