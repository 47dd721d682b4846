@NullMarked
package io.tickwheel.testkit;

import org.jspecify.annotations.NullMarked;
