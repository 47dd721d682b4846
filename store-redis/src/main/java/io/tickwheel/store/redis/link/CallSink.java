package io.tickwheel.store.redis.link;

/** Where a session hands what became of a call. Of the loop. */
interface CallSink {

    /** A call was executed and has left the session; its reply follows when it is as durable as it was to be. */
    void executed(Passage call);

    /** A server has answered a call with an error, and it has left the session: it may be sent again. */
    void refused(Passage call, Session by, String error);

    /** A call has its reply. Without effect when it had one. */
    void settled(Passage call, Reply reply);

    /** A call that was given to the session is not there any more. */
    void left(Passage call);
}
