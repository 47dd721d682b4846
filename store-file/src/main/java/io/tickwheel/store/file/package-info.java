@NullMarked
package io.tickwheel.store.file;

import org.jspecify.annotations.NullMarked;
