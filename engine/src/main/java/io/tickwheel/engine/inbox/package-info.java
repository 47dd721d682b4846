/**
 * The way into the loop: commands and notes that wait for it, moments at which it is woken, commands that look before they change
 * something, and the options that the engine is opened with. Any thread leaves something here, the loop takes it out. Knows no command and
 * no timer.
 */
@NullMarked
package io.tickwheel.engine.inbox;

import org.jspecify.annotations.NullMarked;
