package io.tickwheel.store.testkit;

import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.util.List;
import java.util.Set;

/** The file system of one {@link SimulatedDisk}: a root, {@code /} between names, basic attributes, never closed. */
final class DiskFileSystem extends FileSystem {
    private final DiskFileSystemProvider provider;
    private final DiskFileStore fileStore;
    private final DiskPath root = new DiskPath(this, true, List.of());

    DiskFileSystem(Volume volume, DiskController controller) {
        this.provider = new DiskFileSystemProvider(volume, controller, this);
        this.fileStore = new DiskFileStore(controller);
    }

    DiskPath root() {
        return root;
    }

    DiskFileStore fileStore() {
        return fileStore;
    }

    @Override
    public DiskFileSystemProvider provider() {
        return provider;
    }

    @Override
    public void close() {
        throw NotModelled.operation("FileSystem.close");
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public boolean isReadOnly() {
        return false;
    }

    @Override
    public String getSeparator() {
        return "/";
    }

    @Override
    public Iterable<Path> getRootDirectories() {
        return List.of(root);
    }

    @Override
    public Iterable<FileStore> getFileStores() {
        return List.of(fileStore);
    }

    @Override
    public Set<String> supportedFileAttributeViews() {
        return Set.of("basic");
    }

    @Override
    public DiskPath getPath(String first, String... more) {
        return DiskPath.parse(this, more.length == 0 ? first : first + "/" + String.join("/", more));
    }

    /** Lends the pattern language of the default file system. */
    @Override
    public PathMatcher getPathMatcher(String syntaxAndPattern) {
        PathMatcher matcher = FileSystems.getDefault().getPathMatcher(syntaxAndPattern);
        return path -> matcher.matches(Path.of(path.toString()));
    }

    @Override
    public UserPrincipalLookupService getUserPrincipalLookupService() {
        throw NotModelled.operation("file owners");
    }

    @Override
    public WatchService newWatchService() {
        throw NotModelled.operation("a watch service");
    }
}
