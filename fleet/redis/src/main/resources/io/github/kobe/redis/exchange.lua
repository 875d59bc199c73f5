-- States claims and asks for permits. A heartbeat also renews the session, and asks for the state of the shard.
-- keys: those of the shard, session:<session>, groups:<session>, group:<group>...
-- arguments: session, seq, incarnation, whether it renews, number of claims, and for each: group, limit, version, known, keep, used, wanted, least

local key, groups_key = KEYS[6], KEYS[7]
local name, seq, incarnation, renews, claims = ARGV[1], ARGV[2], ARGV[3], ARGV[4] == '1', tonumber(ARGV[5])

local meta, refusal = (renews and enter or check)(incarnation)
if not meta then
  return refusal
end
local session = read_session(key)
if not session or session.dead then
  return { 'rejoin', meta.incarnation }
end
if not larger(seq, session.seq) then
  return { 'old', session.seq }
end
if renews then
  renew(meta, key, name, session.reclaim, seq)
else
  redis.call('HSET', key, 'seq', seq)
end

local function answer()
  if not renews then
    return { 'granted' }
  end
  local expired = ''
  if not is_learning(meta) then
    expired = redis.call('ZRANGEBYSCORE', SESSIONS, '-inf', meta.clock, 'LIMIT', 0, 1)[1] or ''
  end
  local pushed = redis.call('HGET', PUSHED, name) or '0'
  return { 'exchanged', learning_left(meta), redis.call('ZCARD', SESSIONS), pushed, expired }
end

if claims == 0 then
  return answer()
end

-- The only claim is the first one on a group that nobody uses: it gets what it wants. The rest of the script does the same, and takes twice as long.
local group, limit, wanted = ARGV[6], tonumber(ARGV[7]), tonumber(ARGV[12])
local is_plain = ARGV[10] == '0' and ARGV[11] == '0' and ARGV[13] == '0' -- keeps and uses nothing, and each permit is of use
if claims == 1 and is_plain and wanted > 0 and wanted <= limit and not is_learning(meta) and redis.call('EXISTS', KEYS[8]) == 0 then
  local set = redis.call('HMGET', CONFIG, 'limit:' .. group, 'paused:' .. group)
  if not set[1] and not set[2] then
    redis.call('SADD', groups_key, group)
    redis.call('HSET', KEYS[8], 'version', ARGV[8], 'limit', limit, 'turns', 2, 's:' .. name,
      wanted .. ' 0 ' .. wanted .. ' 0 ' .. seq .. ' 2 ' .. NO_TARGET .. ' 0 ' .. limit)
    local reply = answer()
    local at = #reply
    reply[at + 1], reply[at + 2], reply[at + 3], reply[at + 4] = wanted, NO_TARGET, limit, 0
    return reply
  end
end
