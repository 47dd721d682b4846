-- Writes down the settings of a namespace that is opened for the first time, and carries one of a former format over.
-- KEYS  config nodes ids
-- ARGV  1 format, 2 partitions, 3 the oldest format that is carried over, 4 how the incarnations of nodes begin that read this one
--       5 after how long without a heartbeat a node is dead (ms), 6 an id for a namespace that has none; or empty, to make
--       none of what has no id
-- Answers { format, partitions, id, gone, node... }: as they stand, and the nodes because of which the former format stays. A
-- namespace has no id while a node of a former format may come back.
local call = redis.call
local config = call('HMGET', KEYS[1], 'format', 'partitions', 'id', 'gone')
if ARGV[6] == '' and not config[3] then
  return {'', '', '', ''}
end
if not config[1] then
  call('HSET', KEYS[1], 'format', ARGV[1], 'partitions', ARGV[2])
  config[1], config[2] = ARGV[1], ARGV[2]
end
local answer = {config[1], config[2], config[3] or '', config[4] or ''}
if config[2] ~= ARGV[2] then
  return answer
end
local format = tonumber(config[1])
if format and format >= tonumber(ARGV[3]) and format < tonumber(ARGV[1]) then
  local time = call('TIME')
  local alive = time[1] * 1000 + math.floor(time[2] / 1000) - ARGV[5]
  for _, node in ipairs(call('ZRANGEBYSCORE', KEYS[2], '(' .. alive, '+inf')) do
    local incarnation = call('HGET', KEYS[3], node) or ''
    if string.sub(incarnation, 1, #ARGV[4]) ~= ARGV[4] then
      answer[#answer + 1] = node
    end
  end
  if #answer == 4 then
    call('HSET', KEYS[1], 'format', ARGV[1])
    answer[1] = ARGV[1]
  end
end
if answer[1] == ARGV[1] and not config[3] then
  -- Needs no memory, so that a full server takes the rest too.
  call('HDEL', KEYS[1], '')
  call('HSET', KEYS[1], 'id', ARGV[6])
  answer[3] = ARGV[6]
end
return answer
