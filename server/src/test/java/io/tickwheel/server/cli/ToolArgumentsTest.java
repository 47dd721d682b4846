package io.tickwheel.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import org.junit.jupiter.api.Test;

/** Why a file cannot be read or written. */
final class ToolArgumentsTest {

    @Test
    void reasonThatIsKnownIsTold() {
        assertThat(ToolArguments.fileAndReason(new FileAlreadyExistsException("/a", null, "another process writes it")))
                .isEqualTo("/a: another process writes it");
        assertThat(ToolArguments.fileAndReason(new FileAlreadyExistsException("/a")))
                .isEqualTo("/a: there is such a file already");
        assertThat(ToolArguments.fileAndReason(new AccessDeniedException("/a"))).isEqualTo("/a: permission denied");
        assertThat(ToolArguments.fileAndReason(new IOException("Broken pipe"))).isEqualTo("Broken pipe");
    }
}
