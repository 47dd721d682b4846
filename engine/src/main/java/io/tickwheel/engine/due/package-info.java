/**
 * What is due and waits for its attempt: the wheel before, and then lanes, the rounds in which they take turns, and the credits that they
 * share. Used by the loop only, and told the time. Claims nothing, and knows neither targets nor what comes of an attempt.
 */
@NullMarked
package io.tickwheel.engine.due;

import org.jspecify.annotations.NullMarked;
