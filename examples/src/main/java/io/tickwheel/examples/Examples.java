package io.tickwheel.examples;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.file.FileTimerStore;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Runs an example by its name, in seconds instead of minutes and days, with its timers in a temporary folder unless it is given another. */
final class Examples {

    private static final Duration SHORT = Duration.ofSeconds(3);
    private static final int WRONG_USE = 2;

    static final List<Example> ALL = List.of(
            new Example("unpaid-order", "", "closes an order that is not paid in time", durable(Examples::unpaidOrder)),
            new Example("rating", "", "rates a purchase that its buyer does not rate", durable(Examples::rating)),
            new Example(
                    "resent-message",
                    "",
                    "sends a message again until it is acknowledged",
                    durable(Examples::resentMessage)),
            new Example(
                    "changed-document",
                    "",
                    "refreshes an index once a document has not changed for a while",
                    durable(Examples::changedDocument)),
            new Example(
                    "idle-connections",
                    "[CONNECTIONS]",
                    "drops connections without heartbeats, 1,000 of them or as many as you say",
                    IdleConnectionsCommand::run),
            new Example(
                    "key-value-server",
                    "[PORT]",
                    "keeps values with an end for redis-cli, on port 6399 or yours, until it is stopped",
                    KeyValueServer::run),
            new Example(
                    "webhook-retry",
                    "",
                    "sends webhooks until they are taken, and a dead one once more",
                    durable(WebhooksCommand::run)),
            new Example(
                    "coupons",
                    "[COUPONS [SECONDS]]",
                    "gives out coupons from midnight on, 10,000 in 10 s or as many as you say",
                    CouponsCommand::run),
            new Example(
                    "agent-wake-up",
                    "",
                    "wakes agents with what they wanted to remember",
                    durable(Examples::agentWakeUp)),
            new Example(
                    "cron-service",
                    "[FOLDER]",
                    "runs what definitions say; with a folder it reads commands, and outlives a kill",
                    CronServiceCommand::run));

    private Examples() {}

    /** What an example does, until it says that it has ended; throws an {@link IllegalArgumentException} when its arguments break a rule. */
    interface Performance {
        void run(Stage stage, List<String> arguments) throws IOException, InterruptedException;
    }

    /** An example that only needs timers. */
    interface DurablePerformance {
        void run(Stage stage, Tickwheel timers) throws IOException, InterruptedException;
    }

    /**
     * An example and its name.
     *
     * @param arguments what it can be given, as a line of usage shows it
     * @param about what it does, in a few words
     */
    record Example(String name, String arguments, String about, Performance performance) {

        String usage() {
            return arguments.isEmpty() ? name : name + " " + arguments;
        }
    }

    @SuppressForbidden(reason = "a program for the console, which ends with a code")
    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (arguments.length == 0) {
            list(System.out);
            return;
        }
        Optional<Example> example =
                ALL.stream().filter(each -> each.name().equals(arguments[0])).findFirst();
        if (example.isEmpty()) {
            System.err.println("there is no example '" + arguments[0] + "'");
            list(System.err);
            System.exit(WRONG_USE);
            return;
        }
        try {
            List<String> rest = List.of(arguments).subList(1, arguments.length);
            example.get().performance().run(new Stage(System.out), rest);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.err.println("usage: bin/example " + example.get().usage());
            System.exit(WRONG_USE);
        }
    }

    static void list(PrintStream out) {
        int width = ALL.stream().mapToInt(each -> each.usage().length()).max().orElse(0);
        out.println("usage: bin/example NAME, one of");
        for (Example each : ALL) {
            out.println("  " + each.usage() + " ".repeat(width - each.usage().length()) + "  " + each.about());
        }
    }

    private static Performance durable(DurablePerformance performance) {
        return (stage, arguments) -> {
            if (!arguments.isEmpty()) {
                throw new IllegalArgumentException("arguments are " + arguments + ", must be none");
            }
            try (Tickwheel timers =
                    Tickwheel.open(FileTimerStore.in(Files.createTempDirectory("tickwheel-example-")))) {
                performance.run(stage, timers);
                stage.awaitEnd();
            }
        };
    }

    private static void unpaidOrder(Stage stage, Tickwheel timers) throws InterruptedException {
        UnpaidOrders orders = new UnpaidOrders(timers, SHORT, order -> stage.sayLast(order + " is closed"));
        Tickwheel.await(orders.placed("order-1"));
        Tickwheel.await(orders.placed("order-2"));
        stage.say("order-1 and order-2 are placed, " + SHORT.toSeconds() + " s to pay");
        stage.say("order-1 is paid in time: " + Tickwheel.await(orders.paid("order-1")));
    }

    private static void rating(Stage stage, Tickwheel timers) throws InterruptedException {
        Ratings ratings = new Ratings(timers, SHORT, (purchase, stars) -> {
            stage.say(purchase + " has " + stars + " stars");
            if (purchase.equals("lamp")) {
                stage.end();
            }
        });
        Tickwheel.await(ratings.bought("book"));
        Tickwheel.await(ratings.bought("lamp"));
        stage.say("book and lamp are bought, " + SHORT.toSeconds() + " s to rate");
        Tickwheel.await(ratings.rated("book", 4));
    }

    private static void resentMessage(Stage stage, Tickwheel timers) throws InterruptedException {
        ResentMessages messages = new ResentMessages(
                timers,
                SHORT,
                3,
                (id, text) -> stage.say("sent " + id + ": " + text),
                id -> stage.sayLast("nobody acknowledged " + id + ", given up"));
        Tickwheel.await(messages.send("message-1", "hello"));
        Tickwheel.await(messages.send("message-2", "are you there?"));
        Tickwheel.await(messages.acknowledged("message-1"));
        stage.say("message-1 is acknowledged");
    }

    private static void changedDocument(Stage stage, Tickwheel timers) throws InterruptedException {
        ChangedDocuments documents = new ChangedDocuments(
                timers, SHORT, SHORT.multipliedBy(3), document -> stage.sayLast(document + " is put into the index"));
        for (int change = 1; change <= 5; change++) {
            Tickwheel.await(documents.changed("page"));
            stage.say("page has changed " + change + " times");
        }
    }

    private static void agentWakeUp(Stage stage, Tickwheel timers) throws InterruptedException {
        AgentWakeUps agents = new AgentWakeUps(timers, (agent, state) -> {
            int day = Integer.parseInt(state) + 3;
            stage.say(agent + " wakes up on day " + day);
            if (day < 9) {
                return Optional.of(new AgentWakeUps.Sleep(SHORT, Integer.toString(day)));
            }
            stage.sayLast(agent + " has done its work");
            return Optional.empty();
        });
        Tickwheel.await(agents.sleep("parcel-agent", new AgentWakeUps.Sleep(SHORT, "0")));
        Tickwheel.await(agents.sleep("invoice-agent", new AgentWakeUps.Sleep(SHORT, "0")));
        stage.say("two agents sleep for three days, each of which is a second");
        stage.say("invoice-agent is cancelled in its sleep: " + Tickwheel.await(agents.cancel("invoice-agent")));
    }
}
