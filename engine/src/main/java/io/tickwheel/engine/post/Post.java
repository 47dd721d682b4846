package io.tickwheel.engine.post;

import io.tickwheel.engine.inbox.Inbox;
import io.tickwheel.store.NodeMail;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The letters of this engine on their way: those of one turn to one reader go together, in pieces when they are large. What comes is opened in the next turn of the loop, before
 * anything is claimed in it. Owned by the loop.
 *
 * <pre>
 *   mail: version u8 = 2 | from i64 | number i64, which rises for each reader | flags u8: 1 the first piece, 2 the last one | piece of letters
 * </pre>
 */
public final class Post implements NodeMail.Reader {

    private static final byte VERSION = 2;
    private static final int FIRST = 1;
    private static final int LAST = 2;
    private static final int HEAD_BYTES = 2 + 2 * Long.BYTES;
    private static final int PIECE_BYTES = NodeMail.MOST_BYTES - HEAD_BYTES;

    private final NodeMail mail;
    private final Inbox inbox;
    private final Letter.Reader reader;
    private final LongConsumer lost;
    private final Map<Long, ByteArrayOutputStream> gathered = new LinkedHashMap<>();
    private final Map<Long, Sender> senders = new HashMap<>();
    private final ArrayDeque<Received> received = new ArrayDeque<>();

    /** How much mail was sent, to all: who was missed for a while has not forgotten which number came last. */
    private long sent;

    /** What has come of one sender. */
    private static final class Sender {

        long number;

        /** The pieces of mail of which the last one has not come; null when there are none. */
        @Nullable
        ByteArrayOutputStream pieces;
    }

    private record Received(long from, byte[] letters) {}

    /** @param lost told to whom something was sent that has not arrived, or may not have */
    public Post(NodeMail mail, Inbox inbox, Letter.Reader reader, LongConsumer lost) {
        this.mail = mail;
        this.inbox = inbox;
        this.reader = reader;
        this.lost = lost;
        mail.start(this);
    }

    public long self() {
        return mail.self();
    }

    public List<Long> others() {
        return mail.others();
    }

    /** Whether anything has come of another engine. */
    public boolean hasHeardOf(long other) {
        return senders.containsKey(other);
    }

    /** Forgets what is to be sent to, and came of, one that is no longer alive, as far as is known. */
    public void forget(long other) {
        senders.remove(other);
        gathered.remove(other);
    }

    /** Leaves a letter, which goes with the others of this turn. */
    public void send(long to, Letter letter) {
        try {
            letter.write(new DataOutputStream(gathered.computeIfAbsent(to, first -> new ByteArrayOutputStream())));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends what was left. To be called at the end of each turn. */
    public void flush() {
        if (gathered.isEmpty()) {
            return;
        }
        gathered.forEach((to, letters) -> flush(to, letters.toByteArray()));
        gathered.clear();
        // It leaves with the next turn of the calendar.
        inbox.wake();
    }

    private void flush(long to, byte[] letters) {
        for (int from = 0; from < letters.length; from += PIECE_BYTES) {
            int end = Math.min(letters.length, from + PIECE_BYTES);
            int flags = (from == 0 ? FIRST : 0) | (end == letters.length ? LAST : 0);
            byte[] piece = ByteBuffer.allocate(HEAD_BYTES + end - from)
                    .put(VERSION)
                    .putLong(mail.self())
                    .putLong(++sent)
                    .put((byte) flags)
                    .put(letters, from, end - from)
                    .array();
            if (!mail.send(to, piece)) {
                lost.accept(to);
                return;
            }
        }
    }

    @Override
    public void notArrived(long to) {
        lost.accept(to);
    }

    @Override
    public void read(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        if (bytes.length < HEAD_BYTES || in.get() != VERSION) {
            return;
        }
        long from = in.getLong();
        long number = in.getLong();
        int flags = in.get();
        Sender sender = senders.computeIfAbsent(from, first -> new Sender());
        if (number <= sender.number) {
            return;
        }
        boolean isNext = number == sender.number + 1;
        sender.number = number;
        if ((flags & FIRST) != 0) {
            sender.pieces = new ByteArrayOutputStream();
        } else if (!isNext) {
            sender.pieces = null;
        }
        if (sender.pieces == null) {
            return;
        }
        sender.pieces.write(bytes, HEAD_BYTES, bytes.length - HEAD_BYTES);
        if ((flags & LAST) != 0) {
            if (received.isEmpty()) {
                inbox.note(this::open);
            }
            received.add(new Received(from, sender.pieces.toByteArray()));
            sender.pieces = null;
        }
    }

    private void open() {
        for (Received next = received.poll(); next != null; next = received.poll()) {
            open(next);
        }
    }

    private void open(Received next) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(next.letters))) {
            while (in.available() > 0) {
                Letter.read(in).open(next.from, reader);
            }
        } catch (IOException | IllegalArgumentException e) {
            // Of another version, which knows more: as if the rest had been lost.
            lost.accept(next.from);
        }
    }
}
