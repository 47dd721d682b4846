package io.tickwheel.store.redis;

import io.tickwheel.store.NodeMail;
import io.tickwheel.store.redis.layout.HashSlots;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.Link;
import io.tickwheel.store.redis.link.Reply;
import io.tickwheel.store.redis.namespace.Membership;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Mail between nodes: messages on the channel of the reader, which is heard on a connection of its own. Any master of a cluster takes a message and passes it on; the one of a
 * slot that the address of the reader gives takes all that is for it. Used by the loop only.
 */
final class RedisMail implements NodeMail {

    /** How many bytes may be on their way to Redis: the largest lease that a node lends, and other mail. */
    static final int MOST_BYTES_SENT = 24 << 20;

    private final Layout layout;
    private final Link link;
    private final Membership membership;
    private @Nullable Reader reader;
    private int sentBytes;

    RedisMail(Layout layout, Link link, Membership membership) {
        this.layout = layout;
        this.link = link;
        this.membership = membership;
    }

    @Override
    public long self() {
        return membership.self();
    }

    @Override
    public List<Long> others() {
        return membership.others();
    }

    @Override
    public void start(Reader whoReads) {
        reader = whoReads;
    }

    /** Takes what was said on the channel of this opening. */
    void came(String text) {
        if (reader != null) {
            reader.read(text.getBytes(StandardCharsets.ISO_8859_1));
        }
    }

    @Override
    public boolean send(long to, byte[] mail) {
        if (mail.length > MOST_BYTES) {
            throw new IllegalArgumentException("mail has " + mail.length + " bytes, must have at most " + MOST_BYTES);
        }
        if (sentBytes + mail.length > MOST_BYTES_SENT) {
            return false;
        }
        sentBytes += mail.length;
        link.send(new Message(to, mail));
        return true;
    }

    private final class Message extends Call {

        private final long to;
        private final int bytes;

        Message(long to, byte[] mail) {
            super(
                    (int) Long.remainderUnsigned(to, HashSlots.COUNT),
                    "PUBLISH",
                    List.of(),
                    List.of(Layout.bytes(layout.mailbox(to)), mail));
            this.to = to;
            this.bytes = mail.length;
        }

        @Override
        public void answered(Reply reply) {
            sentBytes -= bytes;
            // A master of a cluster counts only those who listen to itself.
            boolean isHeard = reply.outcome() == Reply.Outcome.DONE
                    && (link.isCluster() || (reply.value() instanceof Long listeners && listeners > 0));
            if (!isHeard && reader != null) {
                reader.notArrived(to);
            }
        }
    }
}
