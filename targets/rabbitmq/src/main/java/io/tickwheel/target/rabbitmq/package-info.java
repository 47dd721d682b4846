/**
 * RabbitMQ as a target, over AMQP 0-9-1 with publisher confirms, and as a source: messages with a header {@code x-delay}, as the plugin for delayed messages took them. Knows no
 * server and no store.
 */
@NullMarked
package io.tickwheel.target.rabbitmq;

import org.jspecify.annotations.NullMarked;
