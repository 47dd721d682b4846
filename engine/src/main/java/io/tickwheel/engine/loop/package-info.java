/**
 * The loop that does all the work, and the commands that reach it. It makes the classes of all other rooms and joins them; none of them
 * knows it.
 */
@NullMarked
package io.tickwheel.engine.loop;

import org.jspecify.annotations.NullMarked;
