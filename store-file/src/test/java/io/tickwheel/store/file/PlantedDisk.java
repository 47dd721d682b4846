package io.tickwheel.store.file;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.StandardCopyOption;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;

/** Lies to the store between it and its disk: what the store asks for is not, or not quite, what is done. */
final class PlantedDisk {

    private PlantedDisk() {}

    /** As if the store did it wrong. */
    enum Bug {
        NONE,
        /** Answers before the log is synced. */
        LOG_NOT_SYNCED,
        RUN_NOT_SYNCED,
        PROGRESS_NOT_SYNCED,
        MANIFEST_NOT_SYNCED,
        /** A new segment's name may be lost. */
        LOG_DIRECTORY_NOT_SYNCED,
        /** The manifest may name a run that has no name. */
        SCHEDULE_LOG_DIRECTORY_NOT_SYNCED,
        /** Writes once and does not look how much was taken. */
        SHORT_WRITE_IGNORED,
        /** Deletes the file before it renames the new one. */
        RENAME_NOT_ATOMIC,
        /** Goes on when a sync has failed. */
        FAILED_SYNC_IGNORED;

        boolean dropsSync(Path path) {
            String name = path.toString();
            return switch (this) {
                case LOG_NOT_SYNCED -> name.contains(DataDirectory.LOG_SUFFIX) || name.contains("spare-");
                case RUN_NOT_SYNCED -> name.contains(DataDirectory.RUN_SUFFIX);
                case PROGRESS_NOT_SYNCED -> name.contains(DataDirectory.PROGRESS_SUFFIX);
                case MANIFEST_NOT_SYNCED -> name.contains("MANIFEST");
                case LOG_DIRECTORY_NOT_SYNCED -> name.endsWith("commitlog");
                case SCHEDULE_LOG_DIRECTORY_NOT_SYNCED -> name.endsWith("schedulelog");
                case NONE, SHORT_WRITE_IGNORED, RENAME_NOT_ATOMIC, FAILED_SYNC_IGNORED -> false;
            };
        }
    }

    /** The same path, on a disk with that bug. */
    static Path plant(Path path, Bug bug) {
        return new Lying(path.getFileSystem(), bug).wrap(path);
    }

    private static final class LyingPath implements InvocationHandler {

        private final Lying fileSystem;
        private final Path path;

        LyingPath(Lying fileSystem, Path path) {
            this.fileSystem = fileSystem;
            this.path = path;
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            if (method.getName().equals("getFileSystem")) {
                return fileSystem;
            }
            Object[] inner = arguments == null ? new Object[0] : arguments.clone();
            for (int i = 0; i < inner.length; i++) {
                if (inner[i] instanceof Path other) {
                    inner[i] = unwrap(other);
                }
            }
            try {
                Object result = method.invoke(path, inner);
                return result instanceof Path other ? fileSystem.wrap(other) : result;
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }
    }

    private static Path unwrap(Path path) {
        return Proxy.isProxyClass(path.getClass()) ? ((LyingPath) Proxy.getInvocationHandler(path)).path : path;
    }

    private static final class Lying extends FileSystem {

        private final FileSystem inner;
        private final LyingProvider provider;

        Lying(FileSystem inner, Bug bug) {
            this.inner = inner;
            this.provider = new LyingProvider(this, inner.provider(), bug);
        }

        Path wrap(Path path) {
            return (Path) Proxy.newProxyInstance(
                    PlantedDisk.class.getClassLoader(), new Class<?>[] {Path.class}, new LyingPath(this, path));
        }

        @Override
        public FileSystemProvider provider() {
            return provider;
        }

        @Override
        public void close() throws IOException {
            inner.close();
        }

        @Override
        public boolean isOpen() {
            return inner.isOpen();
        }

        @Override
        public boolean isReadOnly() {
            return inner.isReadOnly();
        }

        @Override
        public String getSeparator() {
            return inner.getSeparator();
        }

        @Override
        public Iterable<Path> getRootDirectories() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Iterable<FileStore> getFileStores() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Set<String> supportedFileAttributeViews() {
            return inner.supportedFileAttributeViews();
        }

        @Override
        public Path getPath(String first, String... more) {
            return wrap(inner.getPath(first, more));
        }

        @Override
        public PathMatcher getPathMatcher(String syntaxAndPattern) {
            throw new UnsupportedOperationException();
        }

        @Override
        public UserPrincipalLookupService getUserPrincipalLookupService() {
            throw new UnsupportedOperationException();
        }

        @Override
        public WatchService newWatchService() {
            throw new UnsupportedOperationException();
        }
    }

    private static final class LyingProvider extends FileSystemProvider {

        private final Lying fileSystem;
        private final FileSystemProvider inner;
        private final Bug bug;

        LyingProvider(Lying fileSystem, FileSystemProvider inner, Bug bug) {
            this.fileSystem = fileSystem;
            this.inner = inner;
            this.bug = bug;
        }

        @Override
        public FileChannel newFileChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
                throws IOException {
            return new PlantedChannel(
                    inner.newFileChannel(unwrap(path), options, attributes), bug, bug.dropsSync(unwrap(path)));
        }

        @Override
        public SeekableByteChannel newByteChannel(
                Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) throws IOException {
            return newFileChannel(path, options, attributes);
        }

        @Override
        public DirectoryStream<Path> newDirectoryStream(Path path, DirectoryStream.Filter<? super Path> filter)
                throws IOException {
            DirectoryStream<Path> entries = inner.newDirectoryStream(unwrap(path), filter);
            return new DirectoryStream<>() {
                @Override
                public Iterator<Path> iterator() {
                    Iterator<Path> each = entries.iterator();
                    return new Iterator<>() {
                        @Override
                        public boolean hasNext() {
                            return each.hasNext();
                        }

                        @Override
                        public Path next() {
                            return fileSystem.wrap(each.next());
                        }
                    };
                }

                @Override
                public void close() throws IOException {
                    entries.close();
                }
            };
        }

        @Override
        public void move(Path source, Path target, CopyOption... options) throws IOException {
            if (bug == Bug.RENAME_NOT_ATOMIC) {
                Files.deleteIfExists(unwrap(target));
                inner.move(unwrap(source), unwrap(target), StandardCopyOption.REPLACE_EXISTING);
            } else {
                inner.move(unwrap(source), unwrap(target), options);
            }
        }

        @Override
        public void createDirectory(Path path, FileAttribute<?>... attributes) throws IOException {
            inner.createDirectory(unwrap(path), attributes);
        }

        @Override
        public void delete(Path path) throws IOException {
            inner.delete(unwrap(path));
        }

        @Override
        public void copy(Path source, Path target, CopyOption... options) throws IOException {
            inner.copy(unwrap(source), unwrap(target), options);
        }

        @Override
        public boolean isSameFile(Path one, Path other) throws IOException {
            return inner.isSameFile(unwrap(one), unwrap(other));
        }

        @Override
        public boolean isHidden(Path path) throws IOException {
            return inner.isHidden(unwrap(path));
        }

        @Override
        public FileStore getFileStore(Path path) throws IOException {
            return inner.getFileStore(unwrap(path));
        }

        @Override
        public void checkAccess(Path path, AccessMode... modes) throws IOException {
            inner.checkAccess(unwrap(path), modes);
        }

        @Override
        public <V extends FileAttributeView> V getFileAttributeView(Path path, Class<V> type, LinkOption... options) {
            return inner.getFileAttributeView(unwrap(path), type, options);
        }

        @Override
        public <A extends BasicFileAttributes> A readAttributes(Path path, Class<A> type, LinkOption... options)
                throws IOException {
            return inner.readAttributes(unwrap(path), type, options);
        }

        @Override
        public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options)
                throws IOException {
            return inner.readAttributes(unwrap(path), attributes, options);
        }

        @Override
        public void setAttribute(Path path, String attribute, Object value, LinkOption... options) throws IOException {
            inner.setAttribute(unwrap(path), attribute, value, options);
        }

        @Override
        public String getScheme() {
            return inner.getScheme();
        }

        @Override
        public FileSystem newFileSystem(URI uri, Map<String, ?> environment) {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileSystem getFileSystem(URI uri) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Path getPath(URI uri) {
            throw new UnsupportedOperationException();
        }
    }
}
