package io.tickwheel.structure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class BuiltClassesTest {

    @TempDir
    private Path folder;

    @BeforeEach
    void aFolderThatIsBuilt() throws IOException {
        file("src/module-info.java", 1);
        file("src/a/package-info.java", 1);
        file("src/a/One.java", 1);
        file("src/a/b/Two.java", 2);
        file("classes/module-info.class", 1);
        file("classes/a/One.class", 1);
        file("classes/a/One$Inner.class", 2);
        file("classes/a/b/Two.class", 3);
        file("classes/a/b/words.txt", 3);
    }

    @Test
    void classesOfTheSourcesAsTheyAreAreTaken() throws IOException {
        assertThat(BuiltClasses.of(folder.resolve("src"), folder.resolve("classes"))
                        .orElseThrow())
                .containsExactlyInAnyOrder(
                        Path.of("a/One.class"), Path.of("a/One$Inner.class"), Path.of("a/b/Two.class"));
        file("classes/a/package-info.class", 1);
        assertThat(BuiltClasses.of(folder.resolve("src"), folder.resolve("classes"))
                        .orElseThrow())
                .contains(Path.of("a/package-info.class"));
    }

    @Test
    void whatWasNeverBuiltIsNotTaken() {
        assertThat(BuiltClasses.of(folder.resolve("src"), folder.resolve("gone")))
                .isEmpty();
    }

    @Test
    void noSourcesAndNoClassesAreTaken() {
        assertThat(BuiltClasses.of(folder.resolve("gone"), folder.resolve("gone"))
                        .orElseThrow())
                .isEmpty();
    }

    @Test
    void anEditedSourceIsNotTaken() throws IOException {
        file("src/a/One.java", 2);
        assertIsNotTaken();
    }

    @Test
    void aNewSourceIsNotTaken() throws IOException {
        file("src/a/Three.java", 1);
        assertIsNotTaken();
    }

    @Test
    void aClassWhoseSourceIsGoneIsNotTaken() throws IOException {
        file("classes/a/Renamed.class", 9);
        assertIsNotTaken();
    }

    @Test
    void aNestedClassThatIsLeftIsNotTaken() throws IOException {
        file("src/a/One.java", 3);
        file("classes/a/One.class", 3);
        assertIsNotTaken();
    }

    private void assertIsNotTaken() {
        assertThat(BuiltClasses.of(folder.resolve("src"), folder.resolve("classes")))
                .isEmpty();
    }

    private void file(String name, long second) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.setLastModifiedTime(
                Files.write(file, new byte[0]), FileTime.fromMillis(1_700_000_000_000L + 1_000 * second));
    }
}
