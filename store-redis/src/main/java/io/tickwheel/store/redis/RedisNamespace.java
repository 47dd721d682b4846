package io.tickwheel.store.redis;

import io.tickwheel.store.StoreException;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Text;
import io.tickwheel.store.redis.layout.Values;
import io.tickwheel.store.redis.link.Link;
import io.tickwheel.store.redis.link.Script;
import io.tickwheel.store.redis.namespace.NamespaceWatch;
import io.tickwheel.store.redis.query.BlockingQuery;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** What an operator does to a namespace as a whole. */
public final class RedisNamespace {

    private static final Script ACCEPT = Script.named("accept");

    private RedisNamespace() {}

    /**
     * Accepts that what a namespace held is gone, as its nodes have said: they go on with what is there now, which may be nothing, or
     * what other nodes have written since. Nodes that run take it within a quarter of their lease. Doing it twice has the effect of
     * once.
     *
     * @param lost the id that the nodes have named
     * @return the id of the namespace from now on
     * @throws IllegalArgumentException when {@code lost} is no id
     * @throws io.tickwheel.store.StoreUnavailableException when Redis does not answer
     * @throws StoreException when the namespace of that id is there as it was: nothing is changed
     */
    @SuppressForbidden(reason = "people call it, and no engine: an id is random")
    public static String acceptEmpty(RedisAddress address, String namespace, String lost) {
        if (!lost.matches("[0-9a-f]{32}")) {
            throw new IllegalArgumentException("the id of a namespace is '" + lost
                    + "', must be 32 hexadecimal digits, as the nodes have named it");
        }
        try (Link link = ToolLink.open(address)) {
            Layout layout = new Layout(namespace, 1);
            String newId = NamespaceWatch.newId(ThreadLocalRandom.current()::nextLong);
            List<?> answer = new BlockingQuery(link, ToolLink.TIMEOUT)
                    .ask(
                            layout.homeSlot(),
                            ACCEPT,
                            List.of(layout.homeKey("config")),
                            List.of(Text.bytes(lost), Text.bytes(newId)));
            Values accepted = new Values(answer);
            if (accepted.integer() == 0) {
                throw new StoreException(
                        "namespace " + namespace + " with the id " + lost + " is not gone: nothing is changed");
            }
            return accepted.text();
        }
    }
}
