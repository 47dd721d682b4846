@NullMarked
package io.tickwheel.server;

import org.jspecify.annotations.NullMarked;
