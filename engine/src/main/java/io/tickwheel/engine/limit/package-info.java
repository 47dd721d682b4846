/**
 * How many attempts of a queue may start: at once, in a second, and after a pause; by what this node knows, or by what the nodes lend each
 * other. Used by the loop only, and told the time. Knows neither timers nor lanes, nor whose queue it is.
 */
@NullMarked
package io.tickwheel.engine.limit;

import org.jspecify.annotations.NullMarked;
