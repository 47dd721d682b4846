/**
 * What those who watch are told: counts, and a guard before the listeners of a program. For any thread. Decides nothing, and knows no
 * lanes.
 */
@NullMarked
package io.tickwheel.engine.watch;

import org.jspecify.annotations.NullMarked;
