package io.tickwheel.store.testkit;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A path with {@code /} between its names. The working directory is the root. Immutable. */
final class DiskPath implements Path {
    private final DiskFileSystem fileSystem;
    private final boolean absolute;
    private final List<String> names;
    private final String text;

    DiskPath(DiskFileSystem fileSystem, boolean absolute, List<String> names) {
        this.fileSystem = fileSystem;
        this.absolute = absolute;
        this.names = List.copyOf(names);
        this.text = (absolute ? "/" : "") + String.join("/", names);
    }

    static DiskPath parse(DiskFileSystem fileSystem, String text) {
        List<String> names = new ArrayList<>();
        for (String name : text.split("/", -1)) {
            if (!name.isEmpty()) {
                names.add(name);
            }
        }
        return new DiskPath(fileSystem, text.startsWith("/"), names);
    }

    static DiskPath of(Path path) {
        if (path instanceof DiskPath diskPath) {
            return diskPath;
        }
        throw new ProviderMismatchException("not a path of a simulated disk: " + path);
    }

    /** The names from the root, without {@code .} and {@code ..}. */
    List<String> absoluteNames() {
        return normalize().names;
    }

    @Override
    public DiskFileSystem getFileSystem() {
        return fileSystem;
    }

    @Override
    public boolean isAbsolute() {
        return absolute;
    }

    @Override
    public @Nullable DiskPath getRoot() {
        return absolute ? fileSystem.root() : null;
    }

    @Override
    public @Nullable DiskPath getFileName() {
        return names.isEmpty() ? null : getName(names.size() - 1);
    }

    @Override
    public @Nullable DiskPath getParent() {
        if (names.isEmpty() || (!absolute && names.size() == 1)) {
            return null;
        }
        return new DiskPath(fileSystem, absolute, names.subList(0, names.size() - 1));
    }

    @Override
    public int getNameCount() {
        return names.size();
    }

    @Override
    public DiskPath getName(int index) {
        return subpath(index, index + 1);
    }

    @Override
    public DiskPath subpath(int beginIndex, int endIndex) {
        if (beginIndex < 0 || endIndex > names.size() || beginIndex >= endIndex) {
            throw new IllegalArgumentException("[" + beginIndex + ", " + endIndex + ") of " + this);
        }
        return new DiskPath(fileSystem, false, names.subList(beginIndex, endIndex));
    }

    @Override
    public boolean startsWith(Path other) {
        return other instanceof DiskPath that
                && sameRoot(that)
                && that.names.size() <= names.size()
                && names.subList(0, that.names.size()).equals(that.names);
    }

    @Override
    public boolean endsWith(Path other) {
        if (!(other instanceof DiskPath that) || that.fileSystem != fileSystem) {
            return false;
        }
        if (that.absolute) {
            return equals(that);
        }
        int from = names.size() - that.names.size();
        return from >= 0 && names.subList(from, names.size()).equals(that.names);
    }

    @Override
    public DiskPath normalize() {
        if (!names.contains(".") && !names.contains("..")) {
            return this;
        }
        List<String> normal = new ArrayList<>();
        for (String name : names) {
            boolean climbs = name.equals("..");
            boolean canDrop =
                    !normal.isEmpty() && !normal.get(normal.size() - 1).equals("..");
            if (climbs && canDrop) {
                normal.remove(normal.size() - 1);
            } else if (!name.equals(".") && !(climbs && absolute)) {
                normal.add(name);
            }
        }
        return new DiskPath(fileSystem, absolute, normal);
    }

    @Override
    public DiskPath resolve(Path other) {
        DiskPath that = of(other);
        if (that.absolute) {
            return that;
        }
        List<String> all = new ArrayList<>(names);
        all.addAll(that.names);
        return new DiskPath(fileSystem, absolute, all);
    }

    @Override
    public DiskPath relativize(Path other) {
        DiskPath that = of(other);
        if (!sameRoot(that)) {
            throw new IllegalArgumentException("one of " + this + " and " + that + " is absolute");
        }
        int common = 0;
        while (common < Math.min(names.size(), that.names.size())
                && names.get(common).equals(that.names.get(common))) {
            common++;
        }
        List<String> steps = new ArrayList<>(Collections.nCopies(names.size() - common, ".."));
        steps.addAll(that.names.subList(common, that.names.size()));
        return new DiskPath(fileSystem, false, steps);
    }

    private boolean sameRoot(DiskPath that) {
        return that.fileSystem == fileSystem && that.absolute == absolute;
    }

    @Override
    public URI toUri() {
        try {
            return new URI(fileSystem.provider().getScheme(), null, toAbsolutePath().text, null);
        } catch (URISyntaxException impossible) {
            throw new AssertionError(text, impossible);
        }
    }

    @Override
    public DiskPath toAbsolutePath() {
        return absolute ? this : new DiskPath(fileSystem, true, names);
    }

    @Override
    public DiskPath toRealPath(LinkOption... options) throws IOException {
        DiskPath real = toAbsolutePath().normalize();
        fileSystem.provider().checkAccess(real);
        return real;
    }

    @Override
    public WatchKey register(WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers) {
        throw NotModelled.operation("Path.register");
    }

    @Override
    public int compareTo(Path other) {
        return text.compareTo(of(other).text);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof DiskPath that && that.fileSystem == fileSystem && that.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
