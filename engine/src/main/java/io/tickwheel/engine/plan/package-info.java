/**
 * Recurring timers: the turn of one that is due, which makes its run and moves it on, and what is asked of them. Owned by the loop. Is
 * told of claims, and hands them back: who delivers the runs is not known here.
 */
@NullMarked
package io.tickwheel.engine.plan;

import org.jspecify.annotations.NullMarked;
