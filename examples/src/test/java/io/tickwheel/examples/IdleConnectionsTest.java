package io.tickwheel.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class IdleConnectionsTest {

    private static final Duration SILENCE = Duration.ofSeconds(30);
    private static final int CROWD = 1_000;
    private static final int SOCKETS = 50;
    private static final Duration MOMENT = Duration.ofMillis(1);
    private static final Set<String> SILENT =
            IntStream.range(0, CROWD / 10).mapToObj(i -> "c" + 10 * i).collect(Collectors.toSet());

    @Test
    void connectionsWithoutHeartbeatsAreDroppedAndTheOthersAreNot() {
        Timeline time = new Timeline();
        IdleConnections idle = new IdleConnections(time.timers(), SILENCE, time::note);
        for (int connection = 0; connection < CROWD; connection++) {
            time.answer(idle.opened("c" + connection));
        }
        assertThat(time.after(Duration.ofSeconds(20))).isEmpty();
        assertThat(heardFromTheOthers(time, idle)).isTrue();
        assertThat(time.after(Duration.ofSeconds(10).minus(MOMENT))).isEmpty();
        assertThat(time.after(MOMENT)).containsExactlyInAnyOrderElementsOf(SILENT);
        assertThat(time.after(Duration.ofSeconds(20).minus(MOMENT))).isEmpty();
        assertThat(heardFromTheOthers(time, idle)).isTrue();
        assertThat(time.after(SILENCE.minus(MOMENT))).isEmpty();
        assertThat(time.answer(idle.heard("c0"))).as("heard too late").isFalse();
        time.answer(idle.closed("c1"));
        assertThat(time.after(Duration.ofDays(1)))
                .hasSize(CROWD - SILENT.size() - 1)
                .doesNotContain("c1");
    }

    @Test
    void silentSocketsAreClosedBesideACrowd(@TempDir Path folder) throws IOException, InterruptedException {
        List<Socket> sockets = new ArrayList<>();
        try (LiveTimeline time = new LiveTimeline(folder)) {
            HeartbeatServer[] server = new HeartbeatServer[1];
            IdleConnections idle = new IdleConnections(time.timers(), SILENCE, connection -> {
                server[0].drop(connection);
                time.note(connection);
            });
            server[0] = new HeartbeatServer(idle);
            try (HeartbeatServer opened = server[0]) {
                for (int i = 0; i < SOCKETS; i++) {
                    sockets.add(connect(opened));
                    awaitDot(sockets.get(i));
                }
                for (int i = 0; i < CROWD; i++) {
                    idle.opened("crowd-" + i).join();
                }
                Set<String> dropped = new HashSet<>();
                for (int seconds = 0; seconds < 60; seconds += 20) {
                    dropped.addAll(time.after(Duration.ofSeconds(20)));
                    assertThat(dropped).hasSize(seconds == 0 ? 0 : CROWD + SOCKETS / 2);
                    for (int i = 0; i < SOCKETS; i += 2) {
                        sockets.get(i).getOutputStream().write('h');
                        awaitDot(sockets.get(i));
                    }
                }
                for (int i = 1; i < SOCKETS; i += 2) {
                    assertThat(sockets.get(i).getInputStream().read())
                            .as("the end of socket %s", i)
                            .isEqualTo(-1);
                }
                assertThat(dropped)
                        .containsAll(IntStream.range(0, CROWD)
                                .mapToObj(i -> "crowd-" + i)
                                .toList())
                        .contains("socket-2")
                        .doesNotContain("socket-1");
                assertThat(time.timers().liveCount()).isEqualTo(SOCKETS / 2);
            }
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    @Test
    void socketThatItsClientClosesIsForgotten(@TempDir Path folder) throws IOException, InterruptedException {
        try (LiveTimeline time = new LiveTimeline(folder);
                HeartbeatServer server = new HeartbeatServer(new IdleConnections(time.timers(), SILENCE, time::note))) {
            try (Socket socket = connect(server)) {
                awaitDot(socket);
                assertThat(time.timers().stats().cancelled()).isZero();
                socket.shutdownOutput();
                assertThat(socket.getInputStream().read()).isEqualTo(-1);
            }
            LiveTimeline.await(() -> time.timers().stats().cancelled() > 0);
            assertThat(time.after(SILENCE)).isEmpty();
        }
    }

    private static boolean heardFromTheOthers(Timeline time, IdleConnections idle) {
        return IntStream.range(0, CROWD)
                .mapToObj(i -> "c" + i)
                .filter(connection -> !SILENT.contains(connection))
                .allMatch(connection -> time.answer(idle.heard(connection)));
    }

    private static Socket connect(HeartbeatServer server) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
        socket.setSoTimeout(30_000);
        return socket;
    }

    private static void awaitDot(Socket socket) throws IOException {
        assertThat((char) socket.getInputStream().read()).isEqualTo('.');
    }
}
