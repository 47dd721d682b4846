@NullMarked
package io.tickwheel.engine;

import org.jspecify.annotations.NullMarked;
