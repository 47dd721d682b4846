/** Races of {@link io.tickwheel.wheel.WheelTimer}, millions of times each: which outcomes may be seen, and which never. */
@NullMarked
package io.tickwheel.stress;

import org.jspecify.annotations.NullMarked;
