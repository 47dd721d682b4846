/**
 * The engine: joins the calendar of a store with a timing wheel, and delivers what is due. It knows stores by their interface only, and
 * neither HTTP nor files.
 *
 * <p>One loop does all the work, and commands reach it one way:
 *
 * <pre>
 *   Tickwheel -> Commands -> Inbox -> EngineLoop -> Calendar -> DueIndex -> DueWheel -> Deliveries -> Target
 *                             ^                                                             |
 *                             '------------------- the outcome: InFlight ------------------'
 * </pre>
 *
 * <p>This package is what programs, targets and listeners see. What acts is in the rooms beneath it, which no other module sees; each says what lives
 * there.
 *
 * <p>"Owned by the loop" is written on what only the thread of the loop uses, once the engine is open, and "only the loop calls this" on a
 * method of something else. "Any thread may call this", or "thread-safe", is written where that is so.
 */
@NullMarked
package io.tickwheel.engine;

import org.jspecify.annotations.NullMarked;
