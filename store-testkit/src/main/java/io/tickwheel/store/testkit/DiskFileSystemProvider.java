package io.tickwheel.store.testkit;

import java.io.IOException;
import java.net.URI;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.spi.FileSystemProvider;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Checks paths and options as the Unix provider of the JDK does, then acts on the {@link Volume}. */
final class DiskFileSystemProvider extends FileSystemProvider {
    private final Volume volume;
    private final DiskController controller;
    private final DiskFileSystem fileSystem;

    DiskFileSystemProvider(Volume volume, DiskController controller, DiskFileSystem fileSystem) {
        this.volume = volume;
        this.controller = controller;
        this.fileSystem = fileSystem;
    }

    @Override
    public String getScheme() {
        return "simulated";
    }

    @Override
    public SeekableByteChannel newByteChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) throws IOException {
        return newFileChannel(path, options, attributes);
    }

    @Override
    public DiskChannel newFileChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        DiskPath file = own(path);
        OpenMode mode = OpenMode.of(options);
        refuse(attributes);
        boolean creates = mode.create() && volume.find(file) == null;
        return controller.run(creates ? DiskOperation.CREATE : DiskOperation.OPEN, file, () -> open(file, mode));
    }

    private DiskChannel open(DiskPath path, OpenMode mode) throws IOException {
        Node node = volume.find(path);
        if (mode.write()) {
            volume.checkWritable();
        }
        if (node == null) {
            if (!mode.create()) {
                throw missing(path);
            }
            node = volume.createFile(parentOf(path), lastName(path));
        } else if (mode.createNew()) {
            throw new FileAlreadyExistsException(path.toString());
        } else if (node instanceof DirectoryNode && mode.write()) {
            throw new FileSystemException(path.toString(), null, "Is a directory");
        } else if (node instanceof DirectoryNode && controller.actsAsWindows()) {
            throw new AccessDeniedException(path.toString());
        } else if (node instanceof FileNode file && mode.truncate()) {
            file.truncate(0);
        }
        DiskChannel channel = new DiskChannel(controller, node, path, mode);
        controller.opened(channel);
        return channel;
    }

    @Override
    public DirectoryStream<Path> newDirectoryStream(Path path, DirectoryStream.Filter<? super Path> filter)
            throws IOException {
        DiskPath directory = own(path);
        List<Path> entries = new ArrayList<>();
        controller.run(DiskOperation.LIST, directory, () -> {
            if (isBelowFile(directory) || !(existing(directory) instanceof DirectoryNode node)) {
                throw new NotDirectoryException(directory.toString());
            }
            for (String name : node.visible().keySet()) {
                entries.add(directory.resolve(name));
            }
            return node;
        });
        shuffle(entries, controller.orderRandom());
        List<Path> accepted = new ArrayList<>();
        for (Path entry : entries) {
            if (filter.accept(entry)) {
                accepted.add(entry);
            }
        }
        return new Listing(accepted);
    }

    private static void shuffle(List<Path> entries, SplittableRandom random) {
        for (int i = entries.size() - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            Path swapped = entries.get(i);
            entries.set(i, entries.get(j));
            entries.set(j, swapped);
        }
    }

    private record Listing(List<Path> entries) implements DirectoryStream<Path> {
        @Override
        public Iterator<Path> iterator() {
            return entries.iterator();
        }

        @Override
        public void close() {}
    }

    @Override
    public void createDirectory(Path path, FileAttribute<?>... attributes) throws IOException {
        DiskPath directory = own(path);
        refuse(attributes);
        controller.run(DiskOperation.MKDIR, directory, () -> {
            if (volume.find(directory) != null) {
                throw new FileAlreadyExistsException(directory.toString());
            }
            volume.createDirectory(parentOf(directory), lastName(directory));
            return directory;
        });
    }

    @Override
    public void delete(Path path) throws IOException {
        DiskPath victim = own(path);
        controller.run(DiskOperation.DELETE, victim, () -> {
            if (isFull(existing(victim))) {
                throw new DirectoryNotEmptyException(victim.toString());
            }
            volume.delete(parentOf(victim), lastName(victim));
            return victim;
        });
    }

    /** Atomic only with {@code ATOMIC_MOVE}: otherwise the JDK deletes the target in a step of its own, and so does this. */
    @Override
    public void move(Path source, Path target, CopyOption... options) throws IOException {
        DiskPath from = own(source);
        DiskPath to = own(target);
        List<CopyOption> asked = Arrays.asList(options);
        for (CopyOption option : asked) {
            if (option != StandardCopyOption.ATOMIC_MOVE && option != StandardCopyOption.REPLACE_EXISTING) {
                throw NotModelled.operation("the move option " + option);
            }
        }
        if (!asked.contains(StandardCopyOption.ATOMIC_MOVE)) {
            Node node = stat(from);
            Node replaced = volume.find(to);
            if (replaced == node) {
                return;
            }
            if (replaced != null) {
                if (!asked.contains(StandardCopyOption.REPLACE_EXISTING)) {
                    throw new FileAlreadyExistsException(to.toString());
                }
                delete(to);
            }
        }
        controller.run(DiskOperation.RENAME, from, () -> {
            rename(from, to);
            return to;
        });
    }

    private void rename(DiskPath from, DiskPath to) throws IOException {
        DirectoryNode oldParent = parentOf(from);
        DirectoryNode newParent = parentOf(to);
        Node node = existing(from);
        Node replaced = volume.find(to);
        if (replaced == node) {
            return;
        }
        boolean intoItself = to.toAbsolutePath().startsWith(from.toAbsolutePath());
        boolean otherKind = replaced != null && replaced instanceof FileNode != node instanceof FileNode;
        if (intoItself || otherKind || isFull(replaced)) {
            throw new FileSystemException(from.toString(), to.toString(), "Invalid argument");
        }
        volume.rename(oldParent, lastName(from), newParent, lastName(to), node);
    }

    @Override
    public boolean isSameFile(Path one, Path other) throws IOException {
        return one.equals(other) || stat(own(one)) == stat(own(other));
    }

    @Override
    public boolean isHidden(Path path) {
        return lastName(own(path)).startsWith(".");
    }

    @Override
    public DiskFileStore getFileStore(Path path) throws IOException {
        stat(own(path));
        return fileSystem.fileStore();
    }

    @Override
    public void checkAccess(Path path, AccessMode... modes) throws IOException {
        stat(own(path));
    }

    @Override
    public <A extends BasicFileAttributes> A readAttributes(Path path, Class<A> type, LinkOption... options)
            throws IOException {
        if (type != BasicFileAttributes.class) {
            throw NotModelled.operation("file attributes beyond the basic ones");
        }
        Node node = stat(own(path));
        return type.cast(DiskAttributes.of(node, controller.fileKey(node)));
    }

    @Override
    public <V extends FileAttributeView> @Nullable V getFileAttributeView(
            Path path, Class<V> type, LinkOption... options) {
        throw NotModelled.operation("file attribute views");
    }

    @Override
    public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options) {
        throw NotModelled.operation("file attributes by name");
    }

    @Override
    public void setAttribute(Path path, String attribute, Object value, LinkOption... options) {
        throw NotModelled.operation("setting file attributes");
    }

    @Override
    public void copy(Path source, Path target, CopyOption... options) {
        throw NotModelled.operation("Files.copy");
    }

    @Override
    public DiskFileSystem newFileSystem(URI uri, Map<String, ?> environment) {
        throw NotModelled.operation("file systems by URI");
    }

    @Override
    public DiskFileSystem getFileSystem(URI uri) {
        throw NotModelled.operation("file systems by URI");
    }

    @Override
    public Path getPath(URI uri) {
        throw NotModelled.operation("paths by URI");
    }

    private Node stat(DiskPath path) throws IOException {
        return controller.run(DiskOperation.STAT, path, () -> existing(path));
    }

    private Node existing(DiskPath path) throws IOException {
        Node node = volume.find(path);
        if (node == null) {
            throw missing(path);
        }
        return node;
    }

    private DirectoryNode parentOf(DiskPath path) throws IOException {
        DiskPath parent = path.toAbsolutePath().normalize().getParent();
        if (parent == null) {
            throw new FileSystemException(path.toString(), null, "the root has no name");
        }
        if (volume.find(parent) instanceof DirectoryNode directory) {
            return directory;
        }
        throw missing(path);
    }

    private FileSystemException missing(DiskPath path) {
        return isBelowFile(path)
                ? new FileSystemException(path.toString(), null, "Not a directory")
                : new NoSuchFileException(path.toString());
    }

    private boolean isBelowFile(DiskPath path) {
        for (DiskPath up = path.toAbsolutePath().getParent(); up != null; up = up.getParent()) {
            if (volume.find(up) instanceof FileNode) {
                return true;
            }
        }
        return false;
    }

    private static String lastName(DiskPath path) {
        List<String> names = path.absoluteNames();
        return names.get(names.size() - 1);
    }

    private static boolean isFull(@Nullable Node node) {
        return node instanceof DirectoryNode directory && !directory.visible().isEmpty();
    }

    private DiskPath own(Path path) {
        DiskPath mine = DiskPath.of(path);
        if (mine.getFileSystem() != fileSystem) {
            throw new IllegalArgumentException("a path of another simulated disk: " + path);
        }
        return mine;
    }

    private static void refuse(FileAttribute<?>[] attributes) {
        if (attributes.length > 0) {
            throw NotModelled.operation("the file attribute " + attributes[0].name());
        }
    }
}
