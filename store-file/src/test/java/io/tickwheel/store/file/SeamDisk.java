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
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;

/** A file system between a store and its disk, which passes everything on: those that change something override a part of it. */
final class SeamDisk {

    private SeamDisk() {}

    /** The same path, seen through a provider. */
    static Path wrap(Path path, Provider provider) {
        return new Seam(path.getFileSystem(), provider).wrap(path);
    }

    static Path unwrap(Path path) {
        return Proxy.isProxyClass(path.getClass()) ? ((SeamPath) Proxy.getInvocationHandler(path)).path : path;
    }

    private static final class SeamPath implements InvocationHandler {

        private final Seam fileSystem;
        private final Path path;

        SeamPath(Seam fileSystem, Path path) {
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

    private static final class Seam extends FileSystem {

        private final FileSystem inner;
        private final Provider provider;

        Seam(FileSystem inner, Provider provider) {
            this.inner = inner;
            this.provider = provider;
            provider.fileSystem = this;
        }

        Path wrap(Path path) {
            return (Path) Proxy.newProxyInstance(
                    SeamDisk.class.getClassLoader(), new Class<?>[] {Path.class}, new SeamPath(this, path));
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

    /** Passes everything on. */
    abstract static class Provider extends FileSystemProvider {

        final FileSystemProvider inner;
        private Seam fileSystem;

        Provider(FileSystemProvider inner) {
            this.inner = inner;
        }

        @Override
        public FileChannel newFileChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
                throws IOException {
            return inner.newFileChannel(unwrap(path), options, attributes);
        }

        @Override
        public SeekableByteChannel newByteChannel(
                Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) throws IOException {
            return newFileChannel(path, options, attributes);
        }

        @Override
        public DirectoryStream<Path> newDirectoryStream(Path path, DirectoryStream.Filter<? super Path> filter)
                throws IOException {
            DirectoryStream<Path> entries = listed(inner.newDirectoryStream(unwrap(path), filter));
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

        /** What is shown instead of what is there. */
        DirectoryStream<Path> listed(DirectoryStream<Path> entries) throws IOException {
            return entries;
        }

        @Override
        public void move(Path source, Path target, CopyOption... options) throws IOException {
            inner.move(unwrap(source), unwrap(target), options);
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
