package io.tickwheel.store.redis.partition;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Durability;
import io.tickwheel.store.LimitGrant;
import io.tickwheel.store.LimitRequest;
import io.tickwheel.store.SharedLimits;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.redis.layout.Text;
import io.tickwheel.store.redis.layout.Values;
import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.Reply;
import io.tickwheel.store.redis.link.Script;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The limits of queues over all nodes: a hash for each queue, beside some partition, and one script. Slots are lent as durably as claims are made, so that no
 * failover that keeps the claims forgets who runs how many; they lapse as the lease of a partition does. Tokens that are lost on the way there or back are told of by the
 * next question of the queue. For the loop only.
 */
public final class QueueLimits implements SharedLimits {

    private static final Script LIMIT = Script.named("limit");

    /** So many accounts are kept of queues that ask for nothing. */
    static final int MOST_IDLE = 1_024;

    private static final double MILLIONTH = 1e-6;
    private static final long NANOS_A_MICRO = 1_000;

    private final NodeContext node;
    private final BooleanSupplier mayAsk;
    private final Set<Question> unanswered = new LinkedHashSet<>();

    /** By queue, the one that asked longest ago first. */
    private final Map<String, TokenAccount> accounts = new LinkedHashMap<>(16, 0.75f, true);

    private long asked;
    private long forgotten;

    /** @param mayAsk whether the namespace is there, as far as is known: nothing is written into another */
    public QueueLimits(NodeContext node, BooleanSupplier mayAsk) {
        this.node = node;
        this.mayAsk = mayAsk;
    }

    @Override
    public void ask(LimitRequest request, Answer<LimitGrant> answer) {
        TokenAccount account = accounts.computeIfAbsent(request.queue(), queue -> new TokenAccount(newName()));
        account.giveBack(request.unused());
        account.askedNanos = node.nowNanos();
        forgetIdle();
        if (!mayAsk.getAsBoolean()) {
            answer.fail(new StoreUnavailableException("it is not known whether the namespace is there", false));
            return;
        }
        asked++;
        Question question = new Question(request, account, answer);
        unanswered.add(question);
        node.link.send(question);
    }

    /**
     * Forgets the accounts of queues that have come and gone, unless there are few. What the server knows under the name of one has lapsed by then: slots, and
     * what it may not know of tokens is lost, as when a node closes.
     */
    private void forgetIdle() {
        Iterator<TokenAccount> eldest = accounts.values().iterator();
        while (accounts.size() > MOST_IDLE && node.nowNanos() - eldest.next().askedNanos > 2 * node.leaseNanos) {
            eldest.remove();
            forgotten++;
        }
    }

    /** The session; once an account was forgotten, another name, under which the server knows of no sums. */
    private byte[] newName() {
        return Text.bytes(forgotten == 0 ? node.session : node.session + "-" + forgotten);
    }

    /** How many queues there are accounts of. */
    int accounts() {
        return accounts.size();
    }

    /** Whether all questions are answered. */
    public boolean isQuiet() {
        return unanswered.isEmpty();
    }

    /** Fails all questions. */
    public void failAll(StoreFailedException reason) {
        for (Question question : List.copyOf(unanswered)) {
            question.end(reason);
        }
    }

    private List<byte[]> arguments(LimitRequest request, TokenAccount account) {
        return List.of(
                account.name,
                Text.bytes(asked),
                node.scriptDeadline(),
                node.leaseText,
                optional(request.concurrency()),
                Text.bytes(request.running()),
                Text.bytes(request.kept()),
                Text.bytes(request.slots()),
                optional(request.perSecond()),
                Text.bytes(Double.toString(request.burst())),
                Text.bytes(request.tokens()),
                Text.bytes(request.unused()),
                Text.bytes(account.returned()),
                Text.bytes(account.received()));
    }

    private static byte[] optional(@Nullable Number number) {
        return Text.bytes(number == null ? "" : number.toString());
    }

    private final class Question extends Call {

        private final TokenAccount account;
        private final Answer<LimitGrant> answer;

        Question(LimitRequest request, TokenAccount account, Answer<LimitGrant> answer) {
            super(
                    node.layout.limitSlot(request.queue()),
                    LIMIT,
                    List.of(node.layout.limitKey(request.queue())),
                    arguments(request, account),
                    request.concurrency() == null ? Durability.MEMORY : node.durability);
            this.account = account;
            this.answer = answer;
        }

        @Override
        public void answered(Reply reply) {
            if (!unanswered.remove(this)) {
                return;
            }
            if (reply.outcome() != Reply.Outcome.DONE || !(reply.value() instanceof List<?> list)) {
                answer.fail(new StoreUnavailableException(reply.reason(), true));
            } else if (list.size() == 1) {
                node.doubtTime();
                answer.fail(new StoreUnavailableException("the question came too late", false));
            } else {
                Values values = new Values(list.subList(1, list.size()));
                LimitGrant grant = new LimitGrant(
                        Math.toIntExact(values.integer()),
                        node.leaseNanos,
                        Math.toIntExact(values.integer()),
                        values.integer() * MILLIONTH,
                        values.integer() * NANOS_A_MICRO);
                account.receive(grant.tokens());
                answer.accept(grant);
            }
        }

        void end(StoreException reason) {
            if (unanswered.remove(this)) {
                answer.fail(reason);
            }
        }
    }
}
