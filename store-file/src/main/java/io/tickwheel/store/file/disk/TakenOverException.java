package io.tickwheel.store.file.disk;

import java.io.IOException;

/** The mark of this owner is gone: somebody else has the directory now, and nothing more may be answered or deleted. */
public final class TakenOverException extends IOException {

    private static final long serialVersionUID = 1L;

    TakenOverException(String message) {
        super(message);
    }
}
