package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.server.RunningServer;
import io.tickwheel.server.RunningServer.Reply;
import io.tickwheel.server.wire.Problem;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** A server of which nothing remains of what is sent to it. */
abstract class BadInputScene {

    @TempDir
    static Path directory;

    static RunningServer server;

    @BeforeAll
    static void start() {
        server = new RunningServer(directory);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @AfterEach
    void nothingWasAccepted() {
        assertThat(server.get("q", "k").status()).isEqualTo(404);
        assertThat(server.live()).isZero();
        assertThat(server.get("/readyz").status()).isEqualTo(200);
    }

    static void assertProblem(Reply reply, int status, String code, String field) {
        assertThat(reply.status()).as(reply.body()).isEqualTo(status);
        assertThat(reply.contentType()).isEqualTo(Problem.MEDIA_TYPE);
        assertThat(reply.field("code")).isEqualTo(code);
        assertThat(reply.field("status")).isEqualTo(Integer.toString(status));
        assertThat(reply.field("type")).isEqualTo("urn:tickwheel:problem:" + code);
        assertThat(reply.field("title")).isNotEmpty();
        assertThat(reply.field("detail")).isNotEmpty();
        assertThat(reply.body())
                .hasSizeLessThan(1_024)
                .doesNotContain("Exception", "\tat ", "io.tickwheel.", "Source", "REDACTED", "Feature", "start marker");
        if (!field.isEmpty()) {
            assertThat(reply.field("field")).isEqualTo(field);
        }
    }
}
