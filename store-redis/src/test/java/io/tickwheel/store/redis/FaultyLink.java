package io.tickwheel.store.redis;

import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.Link;
import io.tickwheel.store.redis.link.Loop;
import io.tickwheel.store.redis.link.PassingLink;
import io.tickwheel.store.redis.link.Reply;
import io.tickwheel.store.redis.link.Script;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * A link that loses calls with commands, or their replies, or answers that nothing is known of one that it sends only later, when
 * perhaps it has been sent again. It may send another script in the place of that of the commands.
 */
final class FaultyLink extends PassingLink {

    private static final Script COMMANDS = Script.named("commands");

    private final SplittableRandom random;
    private final Script script;
    private final Queue<Call> unanswered = new ArrayDeque<>();
    private final List<Call> late = new ArrayList<>();

    /** Of so many calls in a hundred something is lost. */
    int faultPercent;

    int faults;

    /** What a server said of a script that ended with an error, as none must; empty for nothing. */
    String error = "";

    /** @param change what to make of the source of the commands */
    FaultyLink(Link link, SplittableRandom random, UnaryOperator<String> change) {
        super(link);
        this.random = random;
        this.script = Loop.script(COMMANDS.name(), change.apply(COMMANDS.source()));
    }

    @Override
    public void send(Call call) {
        if (call.script == null || !call.script.sha1().equals(COMMANDS.sha1())) {
            super.send(call);
            return;
        }
        boolean fault = random.nextInt(100) < faultPercent;
        if (!fault) {
            super.send(passing(call, call::answered));
            return;
        }
        faults++;
        switch (random.nextInt(3)) {
            case 0 -> super.send(passing(call, reply -> call.answered(unknown())));
            case 1 -> {
                late.add(passing(call, reply -> {}));
                unanswered.add(call);
            }
            default -> unanswered.add(call);
        }
    }

    private Call passing(Call call, Consumer<Reply> receiver) {
        return new Call(call.slot, script, call.keys, call.arguments, call.level) {
            @Override
            public void answered(Reply reply) {
                if (reply.outcome() == Reply.Outcome.REFUSED && reply.reason().contains("user_script")) {
                    error = reply.reason();
                }
                receiver.accept(reply);
            }
        };
    }

    private static Reply unknown() {
        return new Reply(Reply.Outcome.UNKNOWN, null, "lost", 0);
    }

    /** Sends one of the calls that were held up, if there is one. */
    void sendLate() {
        if (!late.isEmpty()) {
            super.send(late.remove(random.nextInt(late.size())));
        }
    }

    /** Sends all calls that were held up. */
    void sendAllLate() {
        while (!late.isEmpty()) {
            sendLate();
        }
    }

    @Override
    public int deliver(int limit) {
        int given = 0;
        for (Call call = unanswered.poll(); call != null; call = unanswered.poll()) {
            call.answered(unknown());
            given++;
        }
        return given + super.deliver(limit);
    }

    @Override
    public boolean isQuiet() {
        return unanswered.isEmpty() && super.isQuiet();
    }

    /** Hints are not heard: all that they say is found without them. */
    @Override
    public void subscribe(String channel, Consumer<String> receiver) {}
}
