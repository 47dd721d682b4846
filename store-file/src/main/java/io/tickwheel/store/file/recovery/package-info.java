/**
 * The opening of a store: what the manifest, the runs and the log say is read back, the store is made that of a new owner, and the key
 * index is filled while timers are delivered already. Works on the opening thread, and then, piece by piece, on the loop. Nothing here
 * knows commands or checkpoints.
 */
@NullMarked
package io.tickwheel.store.file.recovery;

import org.jspecify.annotations.NullMarked;
