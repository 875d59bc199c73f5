-- Ends a session: it counts as expired at once.
-- keys: those of the shard, session:<session>, groups:<session>; arguments: session, seq, incarnation

local key, groups_key = KEYS[6], KEYS[7]
local name, seq, incarnation = ARGV[1], ARGV[2], ARGV[3]

local meta, refusal = enter(incarnation)
if not meta then
  return refusal
end
local session = read_session(key)
if not session then
  return { 'reaped', 0 }
end
if not larger(seq, session.seq) then
  return { 'old', session.seq }
end
redis.call('HSET', key, 'seq', seq, 'dead', 1)
redis.call('ZADD', SESSIONS, meta.clock, name)
return remove_if_empty(key, groups_key, name)
