package io.tickwheel.store.redis.link;

import org.jspecify.annotations.Nullable;

/** What is told about servers by those who connect to them and call them. Of the loop. */
interface ServerEvents {

    /** The masters may have changed. */
    void lookAgain();

    /** The masters may have changed, and who is asked may not know. */
    void askAnother();

    /** A server is not as it must be. */
    void misfit(String problem);

    /** A server was found not to have what was there before. */
    void foundOther(Endpoint server);

    /** The question to a server before any call goes to it; null for none. */
    Link.@Nullable Greeting greeting();
}
