package io.tickwheel.store.redis.namespace;

import io.tickwheel.store.StoreException;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Text;
import io.tickwheel.store.redis.link.Link;
import io.tickwheel.store.redis.link.Reply;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the namespace is the one that this node has opened, by the id that stands in its settings: a server may come back empty,
 * or with what somebody else has written since. Every connection is asked before it is used, and every heartbeat looks.
 *
 * <pre>
 *   THERE --- doubt ---> DOUBTED --- a heartbeat finds the same id ---> THERE
 *                           '------- or another one, or none ---------> GONE --- the same id, or one that is accepted ---> THERE
 * </pre>
 *
 * A namespace whose nodes live by another lease is {@code GONE} too, for this node, until they have left.
 *
 * While it is not {@code THERE}, nothing is sent but what only reads, and heartbeats, which look before they write. Used by the
 * loop only, except for {@link #gone}.
 */
public final class NamespaceWatch implements Link.Greeting {

    /** No partition was found to be gone. */
    public static final int NO_PARTITION = -1;

    private static final Logger LOG = LoggerFactory.getLogger(NamespaceWatch.class);

    private enum Standing {
        THERE,
        DOUBTED,
        GONE
    }

    private final Layout layout;
    private final FormatCheck check;
    private final Link link;
    private final MadePartitions made = new MadePartitions();
    private String id = "";
    private Standing standing = Standing.THERE;
    private int doubts;
    private int changes;
    private int gonePartition = NO_PARTITION;
    private boolean adopting;
    private volatile @Nullable String gone;

    public NamespaceWatch(Layout layout, FormatCheck check, Link link) {
        this.layout = layout;
        this.check = check;
        this.link = link;
    }

    /** An id that no other namespace has. */
    public static String newId(LongSupplier random) {
        HexFormat hex = HexFormat.of();
        return hex.toHexDigits(random.getAsLong()) + hex.toHexDigits(random.getAsLong());
    }

    /** The namespace has that id, and it is the one that this node works with. */
    public void opened(String found) {
        id = found;
    }

    /** The node is one of the namespace: what was found while it waited for that is past, and it had nothing yet. */
    public void entered() {
        changes = 0;
    }

    String id() {
        return id;
    }

    public boolean isThere() {
        return standing == Standing.THERE;
    }

    /** Why nothing goes on, for an operator; null while the namespace is not known to be gone. */
    @Nullable
    public String gone() {
        return gone;
    }

    /** Rises whenever what was known of the namespace does not hold any more. */
    public int changes() {
        return changes;
    }

    /** Which of its partitions were made for good. */
    public MadePartitions made() {
        return made;
    }

    /** Something does not fit: nothing is written until a heartbeat that is sent from now on has looked. */
    void doubt() {
        doubts++;
        if (standing == Standing.THERE) {
            standing = Standing.DOUBTED;
        }
    }

    /** As {@link #doubt}, as a partition is not there that was. */
    public void doubt(int partition) {
        gonePartition = partition;
        doubt();
    }

    /** Rises with every doubt. */
    int doubts() {
        return doubts;
    }

    /** A partition that was found to be gone, as scripts take it; empty for none. */
    byte[] goneText() {
        return Text.bytes(gonePartition == NO_PARTITION ? "" : Integer.toString(gonePartition));
    }

    /**
     * A heartbeat has found all as it was.
     *
     * @param asOf what {@link #doubts} were when it was sent
     */
    void foundSame(int asOf) {
        if (asOf != doubts || standing == Standing.THERE) {
            return;
        }
        if (standing == Standing.GONE) {
            LOG.warn("namespace {} is there again, with the id {}: going on", layout.namespace, id);
        }
        goOn();
    }

    /**
     * A heartbeat has found another namespace, or that a partition of this one is gone.
     *
     * @param found the id that stands there now; empty for none
     * @param partition the one that is gone; empty for none
     * @param accepted whether an operator has said that nodes go on with what is there now
     */
    void foundOther(String found, String partition, boolean accepted) {
        if (found.equals(id) && partition.isEmpty()) {
            // It was sent before the word of the operator was taken.
            return;
        }
        if (accepted && partition.isEmpty() && !found.equals(id)) {
            adopt();
            return;
        }
        String lost = accepted ? found : id;
        String what = partition.isEmpty()
                ? "namespace " + layout.namespace + " is gone: its id was " + id + ", and the server has "
                        + (found.isEmpty() ? "none" : "another one, " + found)
                : "namespace " + layout.namespace + " is gone in part: partition " + partition
                        + " is not there any more, and perhaps others";
        declareGone(what + ". Nothing is taken or delivered until its data are back, or an operator accepts the loss:"
                + " tickwheel accept-empty --lost " + lost);
    }

    /** A heartbeat has found others alive, by another lease. */
    void foundOtherLease(Duration lease, Duration own, List<String> others) {
        declareGone("namespace " + layout.namespace + " is used by nodes with lease " + lease + ", this one has " + own
                + ": give all nodes the same, or stop these first: " + String.join(", ", others));
    }

    private void declareGone(String reason) {
        standing = Standing.GONE;
        changes++;
        if (!reason.equals(gone)) {
            gone = reason;
            LOG.error("{}", reason);
        }
    }

    /** Opens it anew, by the word of an operator. */
    private void adopt() {
        if (!adopting) {
            adopting = true;
            link.send(check.call(this::adopted));
        }
    }

    private void adopted(Reply reply) {
        adopting = false;
        if (!(reply.value() instanceof List<?> answer)) {
            // The next heartbeat tries again.
            return;
        }
        try {
            String found = check.read(answer);
            LOG.warn("namespace {}: the loss of {} is accepted, going on with {}", layout.namespace, id, found);
            id = found;
            made.forget();
            changes++;
            goOn();
        } catch (StoreException e) {
            declareGone("the loss of namespace " + layout.namespace + " is accepted, but not for this node: "
                    + e.getMessage());
        }
    }

    private void goOn() {
        standing = Standing.THERE;
        gone = null;
        gonePartition = NO_PARTITION;
    }

    @Override
    public String[] question() {
        return new String[] {"HMGET", Text.string(layout.homeKey("config")), "id", "gone"};
    }

    @Override
    public boolean take(@Nullable Object answer) {
        boolean expected = answer instanceof List<?> values
                && values.size() == 2
                && values.get(0) instanceof byte[] found
                && Arrays.equals(found, Text.bytes(id))
                && values.get(1) == null;
        if (!expected) {
            doubt();
        }
        return expected;
    }
}
