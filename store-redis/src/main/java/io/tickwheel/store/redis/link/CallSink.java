package io.tickwheel.store.redis.link;

/** Where a session hands what became of a call. Of the loop. */
interface CallSink {

    /** A call was executed and has left the session; its reply follows when it is as durable as it was to be. */
    void executed(PendingCall call);

    /** A server has answered a call with an error, and it has left the session: it may be sent again. */
    void refused(PendingCall call, Session by, String error);

    /** A call has its reply. Without effect when it had one. */
    void settled(PendingCall call, Reply reply);

    /** A call that was given to the session is not there any more. */
    void left(PendingCall call);
}
