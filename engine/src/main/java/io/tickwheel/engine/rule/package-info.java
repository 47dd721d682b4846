/**
 * The rules that keys, texts and due times keep, and the names of the queues that are the engine's own. Pure functions for any thread, and for
 * every other room. Know nothing else of the engine: the values of its root package are checked with them.
 */
@NullMarked
package io.tickwheel.engine.rule;

import org.jspecify.annotations.NullMarked;
