-- Gives a partition back, and tells the node that is to take it.
-- KEYS  m n
-- ARGV  1 epoch, 2 channel of the node that is to take it, or empty, 3 the partition
-- Answers whether it was the caller's.
if redis.call('HGET', KEYS[1], 'epoch') ~= ARGV[1] then
  return 0
end
redis.call('HDEL', KEYS[1], 'owner', 'hz')
redis.call('UNLINK', KEYS[2])
-- What the caller sent before and comes later is not of the owner any more.
redis.call('HSET', KEYS[1], 'lease', 0, 'epoch', string.format('%.0f', ARGV[1] + 1))
if ARGV[2] ~= '' then
  redis.pcall('PUBLISH', ARGV[2], ARGV[3])
end
return 1
