package io.tickwheel.server.config;

/** Why the server did not start, in one line for its operator, and with which exit code. */
public final class StartException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** The sysexits code for input that is damaged, or not for this version. */
    public static final int DATA_ERROR = 65;

    /** The sysexits code for a server that is not there. */
    public static final int UNAVAILABLE = 69;

    /** The sysexits code for input or output that failed. */
    public static final int IO_ERROR = 74;

    /** The sysexits code for what may go well later. */
    public static final int TRY_AGAIN = 75;

    private final int exitCode;

    public StartException(String message, Throwable cause) {
        this(message, 1, cause);
    }

    public StartException(String message, int exitCode, Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    public StartException(String message) {
        super(message);
        this.exitCode = 1;
    }

    public int exitCode() {
        return exitCode;
    }
}
