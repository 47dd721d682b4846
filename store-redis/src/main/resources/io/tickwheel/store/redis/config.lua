-- Writes down the settings of a namespace that is opened for the first time.
-- KEYS  config
-- ARGV  1 format, 2 partitions
-- Answers { format, partitions } as they stand.
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('HSET', KEYS[1], 'format', ARGV[1], 'partitions', ARGV[2])
end
return redis.call('HMGET', KEYS[1], 'format', 'partitions')
