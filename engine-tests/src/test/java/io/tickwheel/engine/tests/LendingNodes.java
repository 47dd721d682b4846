package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Lease;
import io.tickwheel.engine.LeaseGoneException;
import io.tickwheel.engine.LeaseRequest;
import io.tickwheel.engine.tests.MailedNodes.Node;
import io.tickwheel.store.TimerState;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Nodes that lend each other leases by mail, which may be lost, and what is asked of them. */
abstract class LendingNodes {

    static final int ASK = 1;
    static final int STOP = 2;
    static final int HAVE = 3;
    static final int TAKE = 4;
    static final int GOT = 5;
    static final int BACK = 6;
    static final int END = 7;
    static final int GIVE = 9;

    static final LeaseRequest TEN = LeaseRequest.of("q").withMax(10);
    static final LeaseRequest WAITING = TEN.withWait(Duration.ofSeconds(60));

    MailedNodes all = new MailedNodes(1, 2);
    Node a = all.node(0);
    Node b = all.node(1);

    void nodes(long seed, int count) {
        all = new MailedNodes(seed, count);
        a = all.node(0);
        b = all.node(1);
    }

    void schedule(Node node, String key, Duration delay) {
        all.join(node.engine().schedule("q", key, delay));
    }

    void schedule(Node node, String key) {
        schedule(node, key, Duration.ZERO);
    }

    List<Lease> lease(Node node, LeaseRequest request) {
        return all.join(node.engine().lease(request));
    }

    static List<String> keys(List<Lease> leases) {
        return leases.stream().map(lease -> lease.attempt().key()).sorted().toList();
    }

    TimerState state(Node node, String key) {
        return all.join(node.engine().find("q", key)).orElseThrow().state();
    }

    void gone(CompletableFuture<?> answer) {
        all.threads.runUntilIdle();
        assertThat(answer).as("answered").isDone();
        assertThatThrownBy(answer::join).hasCauseInstanceOf(LeaseGoneException.class);
    }

    void loses(Integer... kinds) {
        Set<Integer> lost = new HashSet<>(Arrays.asList(kinds));
        all.loss = (from, to, kind) -> lost.contains(kind);
    }

    /** How many mails come that begin with a letter of a kind, from now on. */
    int[] counted(int counted) {
        int[] count = {0};
        all.loss = (from, to, kind) -> {
            count[0] += kind == counted ? 1 : 0;
            return false;
        };
        return count;
    }

    void nothingIsLost() {
        all.loss = (from, to, kind) -> false;
    }

    /** Nobody holds anything, and what comes due next is leased. */
    void nothingLeaks() {
        nothingIsLost();
        all.threads.advance(Duration.ofSeconds(70));
        for (Node node : all.nodes) {
            assertThat(node.engine().stats().running()).as("leases and claims").isZero();
        }
        schedule(b, "last");
        List<Lease> last = lease(a, TEN);
        assertThat(keys(last)).containsExactly("last");
        all.join(a.engine().acknowledge(last.get(0).id()));
        assertThat(b.engine().stats().running()).isZero();
    }
}
