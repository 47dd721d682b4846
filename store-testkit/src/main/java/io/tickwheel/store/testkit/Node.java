package io.tickwheel.store.testkit;

/** An inode: a file or a directory, apart from its name. */
sealed interface Node permits FileNode, DirectoryNode {}
