/** A program of modules, for the test that runs it on the module path. */
@NullMarked
package io.tickwheel.modules;

import org.jspecify.annotations.NullMarked;
