package io.tickwheel.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.server.Receiver;
import io.tickwheel.server.RunningServer;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** A server, and the commands that call it. */
abstract class ServerCommandScene {

    @TempDir
    static Path temp;

    static RunningServer server;
    static Receiver receiver;
    static CommandRun pipe;

    @BeforeAll
    static void start() {
        server = new RunningServer(temp.resolve("data"));
        receiver = new Receiver();
        pipe = CommandRun.on("http://127.0.0.1:" + server.port());
    }

    @AfterAll
    static void stop() {
        server.close();
        receiver.close();
    }

    static Ended done(Object... arguments) {
        Ended ended = pipe.run(arguments);
        assertThat(ended.error()).isEmpty();
        assertThat(ended.code()).isZero();
        return ended;
    }

    static void schedule(String queue, String... keys) {
        for (String key : keys) {
            server.put(queue, key, "{\"delay\":\"1h\"}");
        }
    }

    /** Timers that are dead: their receiver has answered 410. */
    static void bury(String queue, String... keys) {
        for (String key : keys) {
            receiver.willAnswer(new Receiver.Answer(410));
            server.put(queue, key, "{\"delay\":\"0s\",\"target\":{\"url\":\"" + receiver.url("/gone") + "\"}}");
            assertThat(server.await(queue, key, reply -> reply.field("state").equals("DEAD"))
                            .status())
                    .isEqualTo(200);
        }
    }
}
