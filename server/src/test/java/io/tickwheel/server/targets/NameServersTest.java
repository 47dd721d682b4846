package io.tickwheel.server.targets;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What does not come as far as a name server. */
final class NameServersTest {

    @Test
    void questionThatNobodyCanBeAskedIsAnsweredEachTime() throws Exception {
        NameServers unknown = new NameServers(
                List.of(InetSocketAddress.createUnresolved("ns.invalid", 53)), 60_000, NioDatagramChannel::new);
        try {
            for (int question = 0; question < 2; question++) {
                CompletableFuture<Future<List<InetAddress>>> answer = new CompletableFuture<>();
                unknown.ask("name.invalid", answer::complete);
                assertThat(answer.get(20, TimeUnit.SECONDS).cause())
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("ns.invalid");
            }
        } finally {
            unknown.close();
        }
    }
}
