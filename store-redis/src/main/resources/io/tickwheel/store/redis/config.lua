-- Writes down the settings of a namespace that is opened for the first time, and carries one of the former format over.
-- KEYS  config nodes ids
-- ARGV  1 format, 2 partitions, 3 the former format, 4 how the incarnations of nodes begin that read this one
--       5 after how long without a heartbeat a node is dead (ms)
-- Answers { format, partitions, node... }: as they stand, and the nodes because of which the former format stays.
local call = redis.call
if call('EXISTS', KEYS[1]) == 0 then
  call('HSET', KEYS[1], 'format', ARGV[1], 'partitions', ARGV[2])
end
local config = call('HMGET', KEYS[1], 'format', 'partitions')
if config[1] ~= ARGV[3] or config[2] ~= ARGV[2] then
  return {config[1], config[2]}
end
local time = call('TIME')
local alive = time[1] * 1000 + math.floor(time[2] / 1000) - ARGV[5]
local answer = {config[1], config[2]}
for _, node in ipairs(call('ZRANGEBYSCORE', KEYS[2], '(' .. alive, '+inf')) do
  local incarnation = call('HGET', KEYS[3], node) or ''
  if string.sub(incarnation, 1, #ARGV[4]) ~= ARGV[4] then
    answer[#answer + 1] = node
  end
end
if #answer == 2 then
  call('HSET', KEYS[1], 'format', ARGV[1])
  answer[1] = ARGV[1]
end
return answer
