package io.tickwheel.store.file.log;

import java.io.IOException;

/** A segment could not be begun, as too many files are open: nothing was changed, and it can be tried again. */
final class NoDescriptorException extends IOException {
    private static final long serialVersionUID = 1L;

    NoDescriptorException(Throwable cause) {
        super("too many files are open: " + cause, cause);
    }
}
