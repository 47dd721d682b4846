package io.tickwheel.engine.post;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.inbox.Inbox;
import io.tickwheel.store.NodeMail;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Letters from one engine to another, whose mail the test carries. */
final class PostTest {

    private static final long SENDER = 1;
    private static final long READER = 2;
    private static final String LARGE = "a".repeat(2 * NodeMail.MOST_BYTES);
    private static final String OTHER = "b".repeat(2 * NodeMail.MOST_BYTES);

    private final List<byte[]> mails = new ArrayList<>();
    private final List<String> read = new ArrayList<>();
    private final List<Long> lost = new ArrayList<>();
    private final Inbox inbox = new Inbox();
    private final Post from = new Post(new Carried(SENDER), inbox, new Noted(), lost::add);
    private final Post to = new Post(new Carried(READER), inbox, new Noted(), lost::add);

    /** Mail of a node. */
    private final class Carried implements NodeMail {

        private final long self;

        Carried(long self) {
            this.self = self;
        }

        @Override
        public long self() {
            return self;
        }

        @Override
        public List<Long> others() {
            return List.of(SENDER + READER - self);
        }

        @Override
        public void start(Reader reader) {}

        @Override
        public boolean send(long to, byte[] mail) {
            mails.add(mail);
            return true;
        }
    }

    /** Notes of a letter what it is and, of what gives back leases, with which letters their ids begin and end. */
    private final class Noted implements Letter.Reader {

        @Override
        public void take(long from, Letter.Ask letter) {
            read.add("ask " + letter.queue());
        }

        @Override
        public void take(long from, Letter.Stop letter) {
            read.add("stop " + letter.queue());
        }

        @Override
        public void take(long from, Letter.Have letter) {
            read.add("have " + letter.count());
        }

        @Override
        public void take(long from, Letter.Take letter) {
            read.add("take " + letter.count());
        }

        @Override
        public void take(long from, Letter.Give letter) {
            read.add("give " + letter.number());
        }

        @Override
        public void take(long from, Letter.Got letter) {
            read.add("got " + letter.number());
        }

        @Override
        public void take(long from, Letter.Back letter) {
            letter.leases().forEach(id -> read.add("back " + id.charAt(0) + " to " + id.charAt(id.length() - 1)));
        }

        @Override
        public void take(long from, Letter.End letter) {
            read.add("end " + letter.number());
        }

        @Override
        public void take(long from, Letter.Ended letter) {
            read.add("ended " + letter.number());
        }
    }

    private void carry() {
        mails.forEach(to::read);
        mails.clear();
        inbox.takeNotes(10);
    }

    @Test
    void lettersOfATurnComeTogetherAndLargeOnesInPieces() {
        from.send(READER, new Letter.Ask("q"));
        from.send(READER, new Letter.Got(7));
        from.flush();
        assertThat(mails).hasSize(1);
        carry();
        from.send(READER, new Letter.Back(List.of(LARGE)));
        from.send(READER, new Letter.Back(List.of(OTHER)));
        from.flush();
        assertThat(mails).hasSizeGreaterThan(4).allMatch(mail -> mail.length <= NodeMail.MOST_BYTES);
        carry();
        assertThat(read).containsExactly("ask q", "got 7", "back a to a", "back b to b");
        assertThat(lost).isEmpty();
    }

    /** What is left would be read as something that nobody has written: a content with a piece of another one in it. */
    @Test
    void nothingIsReadOfLettersOfWhichAPieceIsLost() {
        from.send(READER, new Letter.Back(List.of(LARGE)));
        from.send(READER, new Letter.Back(List.of(OTHER)));
        from.flush();
        mails.remove(1);
        carry();
        assertThat(read).isEmpty();
        from.send(READER, new Letter.Got(8));
        from.flush();
        carry();
        assertThat(read).as("what comes later").containsExactly("got 8");
    }
}
