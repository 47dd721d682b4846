package io.tickwheel.store.file;

import static io.tickwheel.store.file.OtherProcess.missing;
import static io.tickwheel.store.file.OtherProcess.schedule;
import static io.tickwheel.store.file.OtherProcess.store;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.StoreLockedException;
import io.tickwheel.store.file.disk.SegmentName;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real processes that want one real directory: at most one goes on, what either has answered is found afterwards, and the one
 * that has lost it fails, and says why.
 */
@TestInstance(Lifecycle.PER_CLASS)
class TakeOverTest {

    private static final int EACH = 100;
    private static final String REFUSAL = "is open in another process or engine";
    private static final String TAKEN_OVER = "another process or engine has taken over the store in ";
    private static final String GONE = "somebody has deleted or moved the directory of the store, ";
    private static final String FILES_GONE = "somebody has deleted or moved files of the store in ";

    @TempDir
    private Path temp;

    private OtherProcess other;
    private Path data;

    /** What was answered, by either. */
    private List<String> answered;

    @BeforeAll
    void start() throws IOException {
        other = new OtherProcess();
    }

    @AfterAll
    void end() throws IOException {
        other.close();
    }

    @BeforeEach
    void begin() {
        answered = new ArrayList<>();
    }

    private Tickwheel open(String name) {
        data = temp.resolve(name);
        Tickwheel timers = Tickwheel.open(store(data));
        for (int i = 0; i < EACH; i++) {
            here(timers, name + i);
        }
        return timers;
    }

    private void here(Tickwheel timers, String key) {
        schedule(timers, key);
        answered.add(key);
    }

    private void there(String key) {
        assertThat(other.tell("schedule " + key)).isEqualTo("done");
        answered.add(key);
    }

    private void assertRefusedThere(Path directory) {
        assertThat(other.tell("open " + directory))
                .startsWith("StoreLockedException: ")
                .contains(REFUSAL);
    }

    /** The first one has lost the directory; what it still tries is not answered. */
    private static void assertFails(Tickwheel first, Path directory) {
        assertFails(first, TAKEN_OVER + directory);
    }

    /** @param reasons one of which it gives: it may have noticed what was done before it was done */
    private static void assertFails(Tickwheel first, String... reasons) {
        List<String> failures = new ArrayList<>();
        for (String key : List.of("late", "later")) {
            assertThatThrownBy(() -> schedule(first, key))
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(StoreFailedException.class)
                    .satisfies(thrown -> failures.add(thrown.getMessage()));
        }
        assertThat(failures).allSatisfy(message -> assertThat(message).containsAnyOf(reasons));
        assertThatCode(first::close).doesNotThrowAnyException();
    }

    private void assertAllFound(Path directory) {
        assertThat(answered.size()).isGreaterThanOrEqualTo(EACH);
        try (Tickwheel last = Tickwheel.open(store(directory))) {
            assertThat(missing(last, answered)).isEmpty();
        }
        assertThat(StoreDirectory.at(directory).verify().damages()).isEmpty();
    }

    /** The other one has taken over from the first one, and goes on. */
    private void assertOtherHasIt(Tickwheel first) {
        other.open(data);
        for (int i = 0; i < 50; i++) {
            there("there" + i);
        }
        assertFails(first, data);
        for (int i = 50; i < 100; i++) {
            there("there" + i);
        }
        assertThat(other.tell("find late")).isEqualTo("NONE");
        assertThat(other.tell("close")).isEqualTo("done");
        assertAllFound(data);
    }

    @Test
    void secondOpenerInThisJvmIsRefusedAndTakesTheLockFromNobody() throws IOException {
        try (Tickwheel first = open("twice")) {
            Path link = Files.createSymbolicLink(temp.resolve("link"), data);
            for (Path path : List.of(data, link, data.resolve("../twice"))) {
                assertThatThrownBy(() -> Tickwheel.open(store(path)))
                        .isInstanceOf(StoreLockedException.class)
                        .hasMessageContaining(REFUSAL)
                        .hasMessageContaining(data.toString());
                assertThatThrownBy(() -> StoreDirectory.at(path).export(timer -> {}))
                        .isInstanceOf(StoreLockedException.class);
                assertThatThrownBy(() -> StoreDirectory.at(path).salvage()).isInstanceOf(StoreLockedException.class);
            }
            assertRefusedThere(data);
            assertRefusedThere(link);
            here(first, "still");
        }
        assertThat(System.getProperties().values())
                .noneMatch(value -> value.toString().startsWith(data.toString()));
        assertAllFound(data);
    }

    @Test
    void secondOpenerInAnotherClassLoaderIsRefusedAndTakesTheLockFromNobody() throws Exception {
        try (Tickwheel first = open("loader");
                URLClassLoader loader = new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader())) {
            Class<?> program = loader.loadClass(OtherProcess.class.getName());
            assertThat(program).isNotSameAs(OtherProcess.class);
            var openStore = program.getDeclaredMethod("store", Path.class);
            openStore.setAccessible(true);
            Object otherStore = openStore.invoke(null, data);
            var openEngine = loader.loadClass(Tickwheel.class.getName())
                    .getMethod("open", loader.loadClass("io.tickwheel.store.TimerStore"));
            assertThatThrownBy(() -> openEngine.invoke(null, otherStore))
                    .isInstanceOf(InvocationTargetException.class)
                    .satisfies(thrown -> assertThat(thrown.getCause().getClass().getName())
                            .isEqualTo(StoreLockedException.class.getName()));
            assertRefusedThere(data);
            here(first, "still");
        }
        assertAllFound(data);
    }

    private static URL[] classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(java.io.File.pathSeparator))
                .map(entry -> {
                    try {
                        return Path.of(entry).toUri().toURL();
                    } catch (MalformedURLException e) {
                        throw new IllegalArgumentException(entry, e);
                    }
                })
                .toArray(URL[]::new);
    }

    /** To close any channel of the file would be to lose the lock. */
    @Test
    void secondOpenerTakesTheLockFromNobodyWhoseSystemPropertiesWereChanged() throws IOException {
        try (Tickwheel first = open("cleared")) {
            assertThat(System.getProperties()
                            .entrySet()
                            .removeIf(property -> property.getValue().toString().startsWith(data + "#")))
                    .isTrue();
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> Tickwheel.open(store(data)))
                        .isInstanceOf(StoreLockedException.class)
                        .hasMessageContaining(REFUSAL);
            }
            assertRefusedThere(data);
            here(first, "still");
        }
        assertAllFound(data);
    }

    @Test
    void systemPropertiesCanStillBeListedAndStored() throws IOException {
        try (Tickwheel first = open("properties")) {
            ByteArrayOutputStream stored = new ByteArrayOutputStream();
            System.getProperties().store(stored, null);
            assertThat(stored.toString(StandardCharsets.ISO_8859_1)).contains("io.tickwheel.store.file.open");
            here(first, "still");
        }
    }

    @Test
    void openingThatFailsLetsTheNextOneTry() throws IOException {
        open("damaged").close();
        Path segment;
        try (Stream<Path> files = Files.list(data.resolve("commitlog"))) {
            segment = files.filter(file -> file.toString().endsWith(SegmentName.SUFFIX))
                    .max(Path::compareTo)
                    .orElseThrow();
        }
        byte[] sound = Files.readAllBytes(segment);
        Files.write(segment, new byte[sound.length]);
        assertThatThrownBy(() -> Tickwheel.open(store(data))).isInstanceOf(StoreCorruptedException.class);
        assertThat(other.tell("open " + data)).startsWith("StoreCorruptedException");
        Files.write(segment, sound);
        Tickwheel.open(store(data)).close();
        other.open(data);
        assertThat(other.tell("close")).isEqualTo("done");
    }

    @Test
    void lockThatIsLostByACopyInThisProcessIsNotMissed() throws IOException {
        Tickwheel first = open("copied");
        assertRefusedThere(data);
        // To close any channel of a file is to lose all locks of it.
        Files.copy(data.resolve("LOCK"), temp.resolve("backup"));
        assertOtherHasIt(first);
    }

    @Test
    void lockThatIsDeletedIsNotMissed() throws IOException {
        Tickwheel first = open("deleted");
        Files.delete(data.resolve("LOCK"));
        assertOtherHasIt(first);
    }

    @Test
    void lockThatIsReplacedIsNotMissed() throws IOException {
        Tickwheel first = open("replaced");
        Path replacement = Files.createFile(temp.resolve("replacement"));
        Files.move(replacement, data.resolve("LOCK"), StandardCopyOption.REPLACE_EXISTING);
        assertOtherHasIt(first);
    }

    @Test
    void markThatIsDeletedByHandEndsItsOwner() throws IOException {
        Tickwheel first = open("unmarked");
        try (Stream<Path> files = Files.list(data)) {
            for (Path mark : files.filter(file -> file.getFileName().toString().startsWith("OWNER-"))
                    .toList()) {
                Files.delete(mark);
            }
        }
        assertFails(
                first, "somebody has deleted or moved files of the store in " + data + ": the mark OWNER-00000001 ");
        assertAllFound(data);
    }

    /** Nobody else is to be looked for. */
    @Test
    void directoryThatIsGoneIsToldAsGone() throws IOException {
        Tickwheel first = open("gone");
        Files.move(data, temp.resolve("somewhere"));
        assertFails(first, GONE + data + ": ");
        assertThat(data).doesNotExist();
    }

    @Test
    void directoryThatIsEmptyIsToldAsEmptied() throws IOException {
        Tickwheel first = open("emptied");
        Files.move(data, temp.resolve("full"));
        Files.createDirectory(data);
        assertFails(first, FILES_GONE + data + ": ", GONE + data);
    }

    @Test
    void processThatWasStoppedNoticesWhenItGoesOn() throws IOException {
        data = temp.resolve("stopped");
        other.open(data);
        other.scheduleWithoutEnd("s");
        for (int i = 0; i < 300; i++) {
            answered.add(other.answer());
        }
        other.pause();
        try {
            Files.delete(data.resolve("LOCK"));
            try (Tickwheel second = Tickwheel.open(store(data))) {
                assertThat(missing(second, answered)).isEmpty();
                for (int i = 0; i < 100; i++) {
                    here(second, "second" + i);
                }
                other.resume();
                String line = other.answer();
                // What it was about to tell.
                for (; !line.contains(" "); line = other.answer()) {
                    answered.add(line);
                }
                assertThat(line).startsWith("StoreFailedException: ").contains(TAKEN_OVER + data);
                assertThat(missing(second, answered)).isEmpty();
                for (int i = 100; i < 200; i++) {
                    here(second, "second" + i);
                }
            }
        } finally {
            other.resume();
        }
        assertThat(other.tell("close")).isEqualTo("done");
        assertAllFound(data);
    }

    @Test
    void directoryThatIsMovedHasOneOwnerUnderAnyName() throws IOException {
        Tickwheel first = open("moved");
        Path moved = temp.resolve("elsewhere");
        Files.move(data, moved);
        assertThatThrownBy(() -> Tickwheel.open(store(moved))).isInstanceOf(StoreLockedException.class);
        assertRefusedThere(moved);
        // Under the old name there is nothing: a new store.
        other.open(data);
        assertThat(other.tell("find moved0")).isEqualTo("NONE");
        assertThat(other.tell("schedule new")).isEqualTo("done");
        // It may look while there is the directory of another store, and no mark in it yet.
        assertFails(first, TAKEN_OVER + data, GONE + data, FILES_GONE + data);
        assertThat(other.tell("schedule newer")).isEqualTo("done");
        assertThat(other.tell("close")).isEqualTo("done");
        assertAllFound(moved);
        answered = new ArrayList<>(List.of("new", "newer"));
        try (Tickwheel last = Tickwheel.open(store(data))) {
            assertThat(missing(last, answered)).isEmpty();
            assertThat(last.liveCount()).isEqualTo(2);
        }
    }

    @Test
    void copyInThePlaceOfADirectoryThatWasMovedIsNotWrittenByTheFirstOwner() throws IOException {
        Tickwheel first = open("original");
        Path moved = temp.resolve("away");
        Files.move(data, moved);
        copy(moved, data);
        // It may look while there is the directory of another store, and no mark in it yet.
        assertFails(first, TAKEN_OVER + data, GONE + data, FILES_GONE + data);
        other.open(data);
        assertThat(other.tell("find late")).isEqualTo("NONE");
        there("there");
        assertThat(other.tell("close")).isEqualTo("done");
        assertAllFound(data);
        answered.remove("there");
        assertAllFound(moved);
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> paths = Files.walk(from)) {
            for (Path path : paths.toList()) {
                if (Files.exists(path)) {
                    Files.copy(path, to.resolve(from.relativize(path).toString()));
                }
            }
        }
    }

    /** A segment is longer than the heap of the other process. */
    @Test
    void longSegmentIsOpenedInASmallHeap() throws IOException {
        open("long").close();
        try (Stream<Path> files = Files.list(data.resolve("commitlog"))) {
            for (Path segment : files.filter(file -> file.toString().endsWith(SegmentName.SUFFIX))
                    .toList()) {
                try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
                    file.setLength(100 << 20);
                }
            }
        }
        assertThat(other.tell("verify " + data)).isEqualTo("[]");
        other.open(data);
        there("there");
        assertThat(other.tell("close")).isEqualTo("done");
        assertAllFound(data);
    }
}
