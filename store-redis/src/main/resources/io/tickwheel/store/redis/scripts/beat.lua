-- The heartbeat of a node, and who else is alive. First of all a look whether the namespace is the one that the node has opened:
-- nothing is written into another.
-- KEYS  nodes ids config
-- ARGV  1 node, 2 its incarnation, 3 its lease: after how long without a heartbeat a node is dead (ms), 4 1 when it leaves,
--       5 channel of a node, without its name, 6 format, 7 partitions, 8 id of the namespace that the node has opened
--       9 a partition that the node has owned and that is not there any more, or empty
--       10 numbers of partitions that were made for good and are not known as such, or empty
-- Answers { now, 0, { node... }, { the incarnation of each, or empty... } }, and when one was made for good, for each partition 1 or 0: whether it was; or { now, 1, incarnation, its last heartbeat } when the name is taken by another one that is alive;
-- or { now, 2, id, gone, accepted } when the namespace is another one, or a partition of it is gone: as its settings say;
-- or { now, 3, lease, node... } when these others are alive by another lease than that of the node: to each, what the other would
-- have for good would be over, or the other way round.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local config = redis.call('HMGET', KEYS[3], 'format', 'partitions', 'id', 'gone', 'lost:' .. ARGV[8], 'lease', 'made')
-- A failover may have lost an id that was given to a namespace of long ago.
local isSame = config[1] == ARGV[6] and config[2] == ARGV[7] and (config[3] or ARGV[8]) == ARGV[8]
if isSame and ARGV[9] ~= '' and not config[4] then
  redis.pcall('HSET', KEYS[3], 'gone', ARGV[9])
  config[4] = ARGV[9]
end
if not isSame or config[4] then
  return {now, 2, config[3] or '', config[4] or '', config[5] or ''}
end
local lease = config[6] or ARGV[3]
local longest = math.max(lease, ARGV[3])
local alive = now - longest
for _, dead in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', alive)) do
  redis.call('HDEL', KEYS[2], dead)
end
-- Needs no memory, so that a full server takes the rest too.
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', alive)
if not config[3] then
  redis.call('HSET', KEYS[3], 'id', ARGV[8])
end
-- A heartbeat that lies ahead was there before the clock was set back: it counts from now.
for _, node in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], now + longest, '+inf')) do
  redis.call('ZADD', KEYS[1], now, node)
end
if lease ~= ARGV[3] and ARGV[4] ~= '1' then
  local others = {now, 3, lease}
  for _, node in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
    if redis.call('HGET', KEYS[2], node) ~= ARGV[2] then
      others[#others + 1] = node
    end
  end
  if #others > 3 then
    return others
  end
end
local incarnation = redis.call('HGET', KEYS[2], ARGV[1])
local last = redis.call('ZSCORE', KEYS[1], ARGV[1])
if incarnation and incarnation ~= ARGV[2] and last then
  return {now, 1, incarnation, last}
end
if ARGV[4] == '1' then
  redis.call('HDEL', KEYS[2], ARGV[1])
  redis.call('ZREM', KEYS[1], ARGV[1])
else
  redis.call('HSET', KEYS[3], 'lease', ARGV[3])
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
  redis.call('ZADD', KEYS[1], now, ARGV[1])
end
local made = config[7]
if ARGV[10] ~= '' then
  made = made or string.rep('0', ARGV[7])
  for index in string.gmatch(ARGV[10], '%d+') do
    made = string.sub(made, 1, index) .. '1' .. string.sub(made, index + 2)
  end
  redis.call('HSET', KEYS[3], 'made', made)
end
local nodes = redis.call('ZRANGE', KEYS[1], 0, -1)
if not last or ARGV[4] == '1' then
  for _, node in ipairs(nodes) do
    redis.pcall('PUBLISH', ARGV[5] .. node, 'nodes')
  end
end
local incarnations = {}
for i, node in ipairs(nodes) do
  incarnations[i] = redis.call('HGET', KEYS[2], node) or ''
end
return {now, 0, nodes, incarnations, made or nil}
