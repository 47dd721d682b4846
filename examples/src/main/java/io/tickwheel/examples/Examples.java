package io.tickwheel.examples;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.file.FileTimerStore;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;

/** Runs an example by its name, in seconds instead of minutes and days, with its timers in a temporary folder. */
final class Examples {

    private static final Duration SHORT = Duration.ofSeconds(3);
    private static final Map<String, Example> ALL = new TreeMap<>(Map.of(
            "unpaid-order", Examples::unpaidOrder,
            "rating", Examples::rating,
            "resent-message", Examples::resentMessage,
            "changed-document", Examples::changedDocument));

    private final PrintStream out;
    private final CountDownLatch end = new CountDownLatch(1);

    private Examples(PrintStream out) {
        this.out = out;
    }

    private interface Example {
        void run(Examples examples, Tickwheel timers) throws InterruptedException;
    }

    @SuppressForbidden(reason = "a program for the console, which ends with a code")
    public static void main(String[] arguments) throws IOException, InterruptedException {
        Example example = arguments.length == 1 ? ALL.get(arguments[0]) : null;
        if (example == null) {
            System.err.println("usage: bin/example NAME, one of " + String.join(", ", ALL.keySet()));
            System.exit(2);
            return;
        }
        try (Tickwheel timers = Tickwheel.open(FileTimerStore.in(Files.createTempDirectory("tickwheel-example-")))) {
            Examples examples = new Examples(System.out);
            example.run(examples, timers);
            examples.end.await();
        }
    }

    private void say(String text) {
        out.println(Clock.system().now().truncatedTo(ChronoUnit.MILLIS) + "  " + text);
    }

    private void sayLast(String text) {
        say(text);
        end.countDown();
    }

    private void unpaidOrder(Tickwheel timers) throws InterruptedException {
        UnpaidOrders orders = new UnpaidOrders(timers, SHORT, order -> sayLast(order + " is closed"));
        Tickwheel.await(orders.placed("order-1"));
        Tickwheel.await(orders.placed("order-2"));
        say("order-1 and order-2 are placed, " + SHORT.toSeconds() + " s to pay");
        say("order-1 is paid in time: " + Tickwheel.await(orders.paid("order-1")));
    }

    private void rating(Tickwheel timers) throws InterruptedException {
        Ratings ratings = new Ratings(timers, SHORT, (purchase, stars) -> {
            say(purchase + " has " + stars + " stars");
            if (purchase.equals("lamp")) {
                end.countDown();
            }
        });
        Tickwheel.await(ratings.bought("book"));
        Tickwheel.await(ratings.bought("lamp"));
        say("book and lamp are bought, " + SHORT.toSeconds() + " s to rate");
        Tickwheel.await(ratings.rated("book", 4));
    }

    private void resentMessage(Tickwheel timers) throws InterruptedException {
        ResentMessages messages = new ResentMessages(
                timers,
                SHORT,
                3,
                (id, text) -> say("sent " + id + ": " + text),
                id -> sayLast("nobody acknowledged " + id + ", given up"));
        Tickwheel.await(messages.send("message-1", "hello"));
        Tickwheel.await(messages.send("message-2", "are you there?"));
        Tickwheel.await(messages.acknowledged("message-1"));
        say("message-1 is acknowledged");
    }

    private void changedDocument(Tickwheel timers) throws InterruptedException {
        ChangedDocuments documents = new ChangedDocuments(
                timers, SHORT, SHORT.multipliedBy(3), document -> sayLast(document + " is put into the index"));
        for (int change = 1; change <= 5; change++) {
            Tickwheel.await(documents.changed("page"));
            say("page has changed " + change + " times");
        }
    }
}
