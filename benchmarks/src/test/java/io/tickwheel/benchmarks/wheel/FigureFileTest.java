package io.tickwheel.benchmarks.wheel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FigureFileTest {

    @TempDir
    Path directory;

    @Test
    void whatIsWrittenIsRead() throws IOException {
        List<Figure> figures = List.of(
                new Figure("wheel-pair", 17, "1,000 timers, 1 thread", "floor", "wall ns", 1, 35.25),
                new Figure("wheel-pair", 25, "", "says \"so\", and so", "CPU ns", 3, -0.001),
                new Figure("p", 17, "s", "\"", "m", 2, 1e12));
        Path file = directory.resolve("new").resolve("figures.csv");
        FigureFile.write(file, figures);
        assertThat(FigureFile.read(file)).isEqualTo(figures);
    }

    @Test
    void onlyWhatNeedsQuotesHasThem() {
        assertThat(FigureFile.line(new Figure("p", 17, "1,000 timers", "a \"b\"", "m", 1, 2)))
                .isEqualTo("p,17,\"1,000 timers\",\"a \"\"b\"\"\",m,1,2.0");
    }

    @Test
    void refusesAFileOfOthers() throws IOException {
        Path file = Files.writeString(directory.resolve("other.csv"), "a,b\n1,2\n");
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> FigureFile.read(file))
                .withMessageContaining("program,jdk");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FigureFile.figure("a,b"))
                .withMessageContaining("2 fields");
    }
}
