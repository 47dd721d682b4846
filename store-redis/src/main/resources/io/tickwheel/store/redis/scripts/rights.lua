-- Whether the user may do all that the scripts do: one that is refused a command in its middle leaves half of what it writes.
-- Each command is called so that it changes nothing, whether it may be called or not.
-- KEYS  one that does not exist
-- Answers { command... } that are denied.
local key = KEYS[1]
local calls = {
  {'EXISTS', key}, {'UNLINK', key}, {'SET', key, '', 'XX'}, {'GETRANGE', key, '0', '0'}, {'SETRANGE', key, '0', ''},
  {'PEXPIRE', key, '1'}, {'HGET', key, ''}, {'HMGET', key, ''}, {'HDEL', key, ''}, {'HSCAN', key, '0'}, {'HSTRLEN', key, ''},
  {'ZREM', key, ''}, {'ZCARD', key}, {'ZCOUNT', key, '0', '0'}, {'ZSCORE', key, ''}, {'ZMSCORE', key, ''},
  {'ZRANGE', key, '0', '0'}, {'ZRANGEBYSCORE', key, '0', '0'}, {'ZREMRANGEBYSCORE', key, '0', '0'}, {'ZPOPMIN', key},
  -- What these are told is refused, but only behind the look at the rights.
  {'HSET', key, '', '', ''}, {'HINCRBY', key, '', 'none'}, {'ZADD', key, 'none', ''}
}
local denied = {}
for _, words in ipairs(calls) do
  local reply = redis.pcall(unpack(words))
  local why = type(reply) == 'table' and reply.err
  if why and (string.find(why, 'NOPERM') or string.find(why, 'executing the script') or string.find(why, 'ACL failure')) then
    denied[#denied + 1] = words[1]
  end
end
return denied
