/** Documents that a program keeps beside its timers. Knows the calendar, and nothing of deliveries. */
@NullMarked
package io.tickwheel.engine.document;

import org.jspecify.annotations.NullMarked;
