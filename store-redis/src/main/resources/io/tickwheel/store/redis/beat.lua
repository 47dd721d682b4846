-- The heartbeat of a node, and who else is alive.
-- KEYS  nodes ids
-- ARGV  1 node, 2 its incarnation, 3 after how long without a heartbeat a node is dead (ms), 4 1 when it leaves,
--       5 channel of a node, without its name
-- Answers { now, node... }; just { now } when the name is taken by another incarnation that is alive.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local alive = now - ARGV[3]
for _, dead in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', alive)) do
  redis.call('HDEL', KEYS[2], dead)
end
-- Needs no memory, so that a full server takes the rest too.
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', alive)
-- A heartbeat that lies ahead was there before the clock was set back: it counts from now.
for _, node in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], now + ARGV[3], '+inf')) do
  redis.call('ZADD', KEYS[1], now, node)
end
local incarnation = redis.call('HGET', KEYS[2], ARGV[1])
local last = redis.call('ZSCORE', KEYS[1], ARGV[1])
if incarnation and incarnation ~= ARGV[2] and last then
  return {now}
end
if ARGV[4] == '1' then
  redis.call('HDEL', KEYS[2], ARGV[1])
  redis.call('ZREM', KEYS[1], ARGV[1])
else
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
  redis.call('ZADD', KEYS[1], now, ARGV[1])
end
local nodes = redis.call('ZRANGE', KEYS[1], 0, -1)
if not last or ARGV[4] == '1' then
  for _, node in ipairs(nodes) do
    redis.pcall('PUBLISH', ARGV[5] .. node, 'nodes')
  end
end
return {now, unpack(nodes)}
