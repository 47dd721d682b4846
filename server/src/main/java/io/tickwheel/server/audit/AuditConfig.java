package io.tickwheel.server.audit;

import java.nio.file.Path;

/**
 * What is written of who did what, and where. Immutable.
 *
 * @param file the newest lines; older ones are in files beside it, with numbers
 * @param allChanges whether all calls that change something are written, or those only that need the scope of an administrator
 * @param fileBytes how large a file gets, 4,096 to 1 GiB
 * @param files how many there are, 1 to 1,000
 */
public record AuditConfig(Path file, boolean allChanges, long fileBytes, int files) {}
