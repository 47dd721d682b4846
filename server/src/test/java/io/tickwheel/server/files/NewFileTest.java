package io.tickwheel.server.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that write one file at once: what another one does comes right after the file was opened here. */
final class NewFileTest {

    @TempDir
    private Path temp;

    private Path target;
    private Path part;
    private final List<Path> opened = new ArrayList<>();

    @BeforeEach
    void name() {
        target = temp.resolve("export");
        part = temp.resolve("export.part");
    }

    private interface OtherProcess {
        void act() throws IOException;
    }

    /** Opens as is usual, and has another process come in between the first time. */
    private NewFile.Opening openingBefore(OtherProcess other) {
        return file -> {
            FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            opened.add(file);
            if (opened.size() == 1) {
                other.act();
            }
            return channel;
        };
    }

    private static void write(NewFile file, String text) throws IOException {
        OutputStream out = file.write();
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    private void writeWhole(OtherProcess other) throws IOException {
        try (NewFile file = NewFile.at(target, openingBefore(other))) {
            write(file, "whole");
            file.finish();
        }
        assertThat(target).hasContent("whole");
        assertThat(part).doesNotExist();
    }

    @Test
    void partThatTheOneBeforeDeletesAsItFailsIsMadeAnew() throws IOException {
        Files.createFile(part);
        writeWhole(() -> Files.delete(part));
        assertThat(opened).hasSizeGreaterThan(1);
    }

    /** It would be given the name, though only a part of it may be there. */
    @Test
    void partOfAnotherProcessIsNotTakenForItsOwn() throws IOException {
        Files.createFile(part);
        writeWhole(() -> {
            Files.move(part, temp.resolve("deleted"));
            Files.writeString(part, "a part of another one");
        });
    }

    @Test
    void fileThatTheOneBeforeHasFinishedAndSomebodyHasMovedIsLeftAsItIs() throws IOException {
        Path moved = temp.resolve("moved");
        Files.writeString(part, "of the one before");
        writeWhole(() -> Files.move(part, moved));
        assertThat(moved).hasContent("of the one before");
    }

    @Test
    void fileThatTheOneBeforeHasFinishedIsNotWrittenAgain() throws IOException {
        Files.writeString(part, "of the one before");
        assertThatThrownBy(() -> NewFile.at(target, openingBefore(() -> Files.move(part, target))))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThat(target).hasContent("of the one before");
    }

    @Test
    void partThatIsDeletedAgainAndAgainIsGivenUp() {
        assertThatThrownBy(() -> NewFile.at(target, file -> {
                    FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    Files.delete(file);
                    return channel;
                }))
                .isInstanceOf(FileAlreadyExistsException.class)
                .hasMessageContaining("other processes make and delete it");
    }

    /** Somebody has taken it for left over, and begun another one. */
    @Test
    void partThatSomebodyElsePutThereIsNeitherNamedNorDeleted() throws IOException {
        try (NewFile file = NewFile.at(target)) {
            write(file, "whole");
            Files.move(part, temp.resolve("deleted"));
            Files.writeString(part, "a part of another one");
            assertThatThrownBy(file::finish)
                    .isInstanceOf(NoSuchFileException.class)
                    .hasMessageContaining("somebody has deleted it");
        }
        assertThat(part).hasContent("a part of another one");
        assertThat(target).doesNotExist();
    }
}
