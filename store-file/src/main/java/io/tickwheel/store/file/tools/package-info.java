/**
 * What is done to a directory that no engine has open, or beside one that has: backup, restore, verification, inspection, salvage and
 * export. Each call runs on the thread of its caller. Nothing here is used by an open store.
 */
@NullMarked
package io.tickwheel.store.file.tools;

import org.jspecify.annotations.NullMarked;
