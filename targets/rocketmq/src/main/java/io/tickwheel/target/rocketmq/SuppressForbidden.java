package io.tickwheel.target.rocketmq;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Lets calls through that {@code config/forbidden-apis} bans, and says why here it must be. */
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.CONSTRUCTOR, ElementType.METHOD, ElementType.TYPE})
@interface SuppressForbidden {
    String reason();
}
