-- Takes the word of an operator that what a namespace held is gone: nodes that had opened it go on with what is there now.
-- KEYS  config
-- ARGV  1 id of the namespace that is gone, 2 an id for the one that takes its place, where there is none yet
-- Answers { 0, id } when nothing is gone, or { 1, id } with the id of what takes its place.
local call = redis.call
local config = call('HMGET', KEYS[1], 'format', 'id', 'gone')
local id = config[2]
if config[1] and not config[3] and (not id or id == ARGV[1]) then
  return {0, id or ''}
end
-- Needs no memory, so that a full server takes the rest too.
call('HDEL', KEYS[1], '')
if not id or id == ARGV[1] then
  id = ARGV[2]
  call('HDEL', KEYS[1], 'gone', 'made')
end
call('HSET', KEYS[1], 'id', id, 'lost:' .. ARGV[1], '1')
return {1, id}
