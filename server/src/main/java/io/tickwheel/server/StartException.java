package io.tickwheel.server;

/** Why the server did not start, in one line for its operator, and with which exit code. */
final class StartException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** The sysexits code for input that is damaged, or not for this version. */
    static final int DATA_ERROR = 65;

    /** The sysexits code for input or output that failed. */
    static final int IO_ERROR = 74;

    /** The sysexits code for what may go well later. */
    static final int TRY_AGAIN = 75;

    private final int exitCode;

    StartException(String message, Throwable cause) {
        this(message, 1, cause);
    }

    StartException(String message, int exitCode, Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    StartException(String message) {
        super(message);
        this.exitCode = 1;
    }

    int exitCode() {
        return exitCode;
    }
}
