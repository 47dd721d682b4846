package io.tickwheel.store.testkit;

import io.tickwheel.store.testkit.NameChange.Binding;
import io.tickwheel.store.testkit.NameChange.Name;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The tree of files and directories, and the journal of directory operations that are seen but not all on the disk.
 * Checks nothing about paths: {@link DiskFileSystemProvider} does. Not thread-safe.
 */
final class Volume {
    private final DirectoryNode root = new DirectoryNode();

    /** In order of happening. An operation leaves when it is durable under both models of power loss. */
    private final List<NameChange> journal = new ArrayList<>();

    private boolean readOnly;

    @Nullable
    Node find(DiskPath path) {
        Node node = root;
        for (String name : path.absoluteNames()) {
            if (!(node instanceof DirectoryNode directory)) {
                return null;
            }
            Node child = directory.visible().get(name);
            if (child == null) {
                return null;
            }
            node = child;
        }
        return node;
    }

    FileNode createFile(DirectoryNode parent, String name) throws IOException {
        FileNode file = new FileNode();
        append(new NameChange(Binding.bind(parent, name, file)));
        return file;
    }

    void createDirectory(DirectoryNode parent, String name) throws IOException {
        append(new NameChange(Binding.bind(parent, name, new DirectoryNode())));
    }

    void delete(DirectoryNode parent, String name) throws IOException {
        append(new NameChange(Binding.unbind(parent, name)));
    }

    void rename(DirectoryNode from, String oldName, DirectoryNode to, String newName, Node node) throws IOException {
        append(new NameChange(Binding.unbind(from, oldName), Binding.bind(to, newName, node)));
    }

    boolean readOnly() {
        return readOnly;
    }

    void readOnly(boolean isReadOnly) {
        readOnly = isReadOnly;
    }

    void checkWritable() throws IOException {
        if (readOnly) {
            throw new IOException("Read-only file system");
        }
    }

    private void append(NameChange change) throws IOException {
        checkWritable();
        change.applyToVisible();
        journal.add(change);
    }

    /** Syncing a file commits the journal, which makes its name durable unless only POSIX is promised. */
    void commit() {
        journal.forEach(NameChange::commit);
        settle();
    }

    void sync(DirectoryNode directory) {
        for (NameChange change : journal) {
            change.sync(directory);
            change.commit();
        }
        settle();
    }

    /** Some first operations reach the disk; then the journal takes no more, as ext4 and XFS do. */
    void abortJournal(DirectoryNode directory, SplittableRandom random) {
        for (NameChange change : journal.subList(0, random.nextInt(journal.size() + 1))) {
            change.sync(directory);
            change.commit();
        }
        settle();
        readOnly = true;
    }

    private void settle() {
        int settled = 0;
        for (NameChange change : journal) {
            if (!change.committed() || !change.synced()) {
                break;
            }
            change.applyToDurable();
            settled++;
        }
        journal.subList(0, settled).clear();
    }

    void losePower(CrashKind kind, SplittableRandom random) {
        List<NameChange> survivors =
                kind == CrashKind.POWER_LOSS_MINIMAL ? anyConsistentSubset(random) : anyPrefix(random);
        survivors.forEach(NameChange::applyToDurable);
        journal.clear();
        readOnly = false;
        forEachNode(node -> {
            if (node instanceof DirectoryNode directory) {
                directory.losePower();
            } else if (node instanceof FileNode file) {
                file.losePower(random);
            }
        });
    }

    /** What is committed, and the first few of the rest. */
    private List<NameChange> anyPrefix(SplittableRandom random) {
        long uncommitted =
                journal.stream().filter(change -> !change.committed()).count();
        long kept = random.nextLong(uncommitted + 1);
        List<NameChange> survivors = new ArrayList<>();
        for (NameChange change : journal) {
            if (change.committed()) {
                survivors.add(change);
            } else if (kept > 0) {
                survivors.add(change);
                kept--;
            }
        }
        return survivors;
    }

    /**
     * What is synced, and any of the rest, except that no operation survives an earlier one it shares a name with that
     * was lost.
     */
    private List<NameChange> anyConsistentSubset(SplittableRandom random) {
        Set<NameChange> needed = neededBySynced();
        Set<Name> lostNames = new HashSet<>();
        List<NameChange> survivors = new ArrayList<>();
        for (NameChange change : journal) {
            boolean follows = change.bindings().stream().map(Binding::name).noneMatch(lostNames::contains);
            if (needed.contains(change) || (follows && random.nextBoolean())) {
                survivors.add(change);
            } else {
                change.bindings().forEach(binding -> lostNames.add(binding.name()));
            }
        }
        return survivors;
    }

    /** The synced operations and all that they build on. */
    private Set<NameChange> neededBySynced() {
        Set<NameChange> needed = Collections.newSetFromMap(new IdentityHashMap<>());
        Set<Name> names = new HashSet<>();
        for (int i = journal.size() - 1; i >= 0; i--) {
            NameChange change = journal.get(i);
            if (change.synced() || change.bindings().stream().map(Binding::name).anyMatch(names::contains)) {
                needed.add(change);
                change.bindings().forEach(binding -> names.add(binding.name()));
            }
        }
        return needed;
    }

    void dropCache() {
        forEachNode(node -> {
            if (node instanceof FileNode file) {
                file.dropCache();
            }
        });
    }

    /** Visits every node once, a directory before what it shows after its visit, in an order fixed by the names. */
    void forEachNode(Consumer<Node> visitor) {
        Set<Node> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Node> open = new ArrayDeque<>();
        open.push(root);
        while (!open.isEmpty()) {
            Node node = open.pop();
            if (!seen.add(node)) {
                continue;
            }
            visitor.accept(node);
            if (node instanceof DirectoryNode directory) {
                directory.visible().values().forEach(open::push);
            }
        }
    }
}
