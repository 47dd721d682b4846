package io.tickwheel.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.server.config.StartException;
import io.tickwheel.server.targets.InstalledTargets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is set of a queue in words, and what the server gets of it. */
final class QueueAssignmentsTest {

    private static String json(String... words) {
        return QueueAssignments.toJson(List.of(words), InstalledTargets.kinds());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            rate=100 burst=20 paused=             | {"rate":{"perSecond":100,"burst":20},"paused":null}
            retry.backoff=1s retry.jitter=0.5     | {"retry":{"backoff":"1s","jitter":0.5}}
            retry.delays=1s,2s retry.factor=2     | {"retry":{"delays":["1s","2s"],"factor":2}}
            retry=                                | {"retry":null}
            delayLevels=1s,                       | {"delayLevels":["1s",""]}
            paused=false cloudEvents=true         | {"paused":false,"cloudEvents":true}
            """)
    void wordsBecomeFields(String words, String json) {
        assertThat(json(words.split(" "))).isEqualTo(json);
    }

    /** Whatever stands first. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            retry= retry.backoff=1s     | retry is set and cleared, must be one of both
            retry.backoff=1s retry=     | retry is set and cleared, must be one of both
            rate=5 rate=                | rate is there twice, must be at most once
            burst=5                     | burst is there, must be with rate only
            burst=5 rate=               | rate is set and cleared, must be one of both
            retry.backoff=              | retry.backoff has no value, must have one; retry= clears all of it
            paused=yes                  | paused is "yes", must be true or false
            """)
    void wordsThatContradictEachOtherAreRefused(String words, String message) {
        assertThatThrownBy(() -> json(words.split(" ")))
                .isInstanceOf(StartException.class)
                .hasMessage(message);
    }

    @Test
    void secretsOfAFileStandOneALine(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("secrets"), "\n  whsec_a \n\nwhsec_b\n\n");
        assertThat(json("secrets=@" + file)).isEqualTo("{\"secrets\":[\"whsec_a\",\"whsec_b\"]}");
    }
}
