/** What applications do with timers, each in a class or two. */
@NullMarked
package io.tickwheel.examples;

import org.jspecify.annotations.NullMarked;
