-- Lends a node what it may run and start of a queue, so that all nodes together keep to the limits of the queue: slots, of which
-- each attempt that runs has one, and tokens, of which each start takes one.
-- KEYS  l<queue>
-- ARGV  1 session of the node, 2 number of the call, 3 deadline (ms), 4 how long slots are held (ms)
--       5 slots of all nodes or empty, 6 attempts that run, 7 slots that the node keeps until the answer, 8 slots that it could use
--       9 tokens a second or empty, 10 how many gather, 11 tokens that the node could use, 12 tokens that it gives back
--       13 tokens that it has given back since it was opened, with these, 14 tokens that it was granted since, as far as it knows
-- Answers { now (ms), slots, tokens, how many of these may be used at once (millionths), when to ask again (µs; 0: nothing is wanting) };
-- or { now } after the deadline, or behind a later call of the node: then nothing is done.
--
-- Of each node there is a line in field n: its session, and the number of its last call, until when it holds its slots, the slots,
-- how many it could use; since when it waits for slots, and for tokens, until when that counts, and how many tokens it waits for;
-- how many tokens it has given back, and was granted, since it was opened. By the last two it is seen what the node knows nothing
-- of, as an answer was lost, and what it gave back in a question that was. A line without them is of an older version.
-- Who waits comes before those that began to wait later, and before those that have their share.
local call = redis.call
local floor, ceil, max, min = math.floor, math.ceil, math.max, math.min
local time = call('TIME')
local now = time[1] * 1000000 + time[2]
local nowMs = floor(now / 1000)
local AHEAD, AGAIN, LONGEST, LATE = 50000, 10000, 1000000, 200000
local me, number, hold = ARGV[1], tonumber(ARGV[2]), ARGV[4] * 1000
local total, running, kept, wanted = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local rate, burst, tokens, unused = tonumber(ARGV[9]), tonumber(ARGV[10]), tonumber(ARGV[11]), tonumber(ARGV[12])
local returned, received = tonumber(ARGV[13]), tonumber(ARGV[14])

local known = call('HMGET', KEYS[1], 'n', 'b', 't')
local balance, filled = tonumber(known[2] or ''), tonumber(known[3] or '')
local mine, others = {}, {}
for line in string.gmatch(known[1] or '', '[^\n]+') do
  local name, rest = string.match(line, '^(%S+)(.*)$')
  local n = {}
  for each in string.gmatch(rest, '%S+') do
    n[#n + 1] = tonumber(each)
  end
  local node = {
    name = name, number = n[1], till = n[2], slots = n[3], wanted = n[4], slotSince = n[5], tokenSince = n[6], waits = n[7], left = n[8],
    returned = n[9], granted = n[10]
  }
  if node.till > now + 4 * hold then
    -- It was there before the clock was set back: it counts from now.
    node.till = now + hold
  end
  if node.waits <= now or node.waits > now + 2 * LONGEST then
    -- It did not come again, or the clock was set back.
    node.slotSince, node.tokenSince, node.waits, node.left = 0, 0, 0, 0
  end
  if node.name == me then
    mine = node
  elseif node.till > now then
    others[#others + 1] = node
  end
end
if nowMs > tonumber(ARGV[3]) or mine.number and mine.number >= number then
  return {nowMs}
end

-- Whether a node has waited longer than this one, which began then; 0 is not to wait.
local function isAhead(node, since, mySince)
  return since > 0 and (mySince == 0 or since < mySince or since == mySince and node.name < me)
end

local again = 0
local slots, slotSince = 0, 0
if total then
  local held, sharing = 0, wanted > 0 and 1 or 0
  for _, node in ipairs(others) do
    held = held + node.slots
    sharing = sharing + (node.wanted > 0 and 1 or 0)
  end
  local share = floor(total / max(1, sharing))
  local due = max(1, share)
  if kept < min(wanted, due) then
    slotSince = (mine.slotSince or 0) > 0 and mine.slotSince or now
  end
  local ahead = 0
  for _, node in ipairs(others) do
    if isAhead(node, node.slotSince, slotSince) then
      ahead = ahead + max(0, min(node.wanted, due) - node.slots)
    end
  end
  local free = total - held
  slots = max(0, min(wanted, max(free - ahead, min(share, free))))
  if slots >= min(wanted, due) then
    slotSince = 0
  elseif slotSince == 0 then
    slotSince = now
  end
  if slots < wanted then
    -- What lasts long may be looked for less often.
    again = slotSince == 0 and 10 * AGAIN or min(10 * AGAIN, max(AGAIN, floor((now - slotSince) / 32)))
  end
end

local granted, atOnce, tokenSince, left = 0, 0, 0, 0
local back = mine.granted and returned - mine.returned + mine.granted - received or unused
if rate then
  local elapsed = filled and max(0, now - filled) or 0
  -- What was lent ahead at a higher rate was started in the same time.
  balance = max(balance or 1, -rate * AHEAD / 1000000)
  balance = min(burst, balance + rate * elapsed / 1000000 + back)
  if tokens > 0 then
    local asking, ahead = 1, 0
    for _, node in ipairs(others) do
      asking = asking + (node.waits > now and 1 or 0)
    end
    local waited = (mine.tokenSince or 0) > 0
    tokenSince = waited and mine.tokenSince or now
    left = min(tokens, waited and mine.left or max(1, floor((max(0, balance) + rate * AHEAD / 1000000) / asking)))
    for _, node in ipairs(others) do
      if isAhead(node, node.tokenSince, tokenSince) then
        ahead = ahead + node.left
      end
    end
    granted = max(0, min(left, floor(balance + rate * AHEAD / 1000000 + 0.000001) - ahead))
    if total and granted > max(0, slots - running) then
      granted = max(0, slots - running)
      left = granted
    end
    left = left - granted
    atOnce = balance
    balance = balance - granted
    if left == 0 then
      tokenSince = 0
    else
      local missing = 1 + ahead - balance - rate * AHEAD / 1000000
      local comes = min(LONGEST, max(AGAIN, ceil(missing / rate * 1000000)))
      again = again > 0 and min(again, comes) or comes
    end
  end
end

local waits = (total and slots < wanted or tokens > 0) and now + again + LATE or 0
others[#others + 1] = {
  name = me, number = number, till = now + hold, slots = max(kept, slots), wanted = wanted, slotSince = slotSince,
  tokenSince = tokenSince, waits = waits, left = left, returned = returned, granted = received + granted
}
local lines = {}
for j, node in ipairs(others) do
  lines[j] = string.format('%s %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f', node.name, node.number, node.till, node.slots, node.wanted,
    node.slotSince, node.tokenSince, node.waits, node.left)
    .. (node.granted and string.format(' %.0f %.0f', node.returned, node.granted) or '')
end
-- Needs no memory, so that a full server takes the rest too.
call('HDEL', KEYS[1], '')
call('HSET', KEYS[1], 'n', table.concat(lines, '\n'))
local fullMs = 0
if rate then
  call('HSET', KEYS[1], 'b', string.format('%.6f', balance), 't', string.format('%.0f', now))
  fullMs = ceil(burst / rate * 1000)
else
  -- Nobody knows what starts meanwhile, when there is a rate again.
  call('HDEL', KEYS[1], 'b', 't')
end
call('PEXPIRE', KEYS[1], string.format('%.0f', 86400000 + fullMs))
return {nowMs, slots, granted, floor(atOnce * 1000000), again}
