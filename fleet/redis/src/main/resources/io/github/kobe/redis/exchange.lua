-- States claims, renews the session and asks for permits.
-- keys: those of the shard, session:<session>, groups:<session>, group:<group>...
-- arguments: session, seq, incarnation, number of claims, and for each: group, limit, version, known, keep, used, wanted

local key, groups_key = KEYS[6], KEYS[7]
local name, seq, incarnation, claims = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])

local meta, refusal = enter(incarnation)
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
renew(meta, key, name, session.reclaim, seq)

local function answer()
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
