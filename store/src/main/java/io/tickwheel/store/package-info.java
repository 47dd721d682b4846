@NullMarked
package io.tickwheel.store;

import org.jspecify.annotations.NullMarked;
