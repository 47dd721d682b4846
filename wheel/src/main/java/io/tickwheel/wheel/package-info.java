@NullMarked
package io.tickwheel.wheel;

import org.jspecify.annotations.NullMarked;
