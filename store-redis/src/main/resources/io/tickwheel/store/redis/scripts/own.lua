-- Takes a partition that nobody owns, or whose owner has not renewed its lease. The epoch rises, also when a failover has lost
-- the last one: it is the time in microseconds, or more.
-- KEYS  m n
-- ARGV  1 node, 2 lease (ms), 3 deadline (ms), 4 1 when the partition is known to have been made for good, else 0
-- Answers { now, the epoch }, or { now, '', the owner, until when }; or just { now } when nobody has ever owned the partition, as far as is
-- written here, though it was made: nothing is done.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local meta = redis.call('HMGET', KEYS[1], 'owner', 'epoch', 'lease')
local lease = tonumber(meta[3]) or 0
if meta[1] and lease > now + 4 * ARGV[2] then
  -- It was given before the clock was set back: it counts from now.
  lease = now + ARGV[2]
  redis.call('HDEL', KEYS[1], '')
  redis.call('HSET', KEYS[1], 'lease', lease)
end
if now > tonumber(ARGV[3]) or meta[1] and meta[1] ~= ARGV[1] and lease > now then
  return {now, '', meta[1] or '', lease}
end
if not meta[2] and ARGV[4] == '1' then
  return {now}
end
local epoch = string.format('%.0f', math.max((tonumber(meta[2]) or 0) + 1, time[1] * 1000000 + time[2]))
redis.call('HDEL', KEYS[1], 'hz', 'tend')
redis.call('UNLINK', KEYS[2])
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'epoch', epoch, 'lease', now + ARGV[2])
return {now, epoch}
