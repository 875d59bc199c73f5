-- Begins a session, or finds that it has begun.
-- keys: those of the shard, session:<session>; arguments: session, seq, node, ttl, reclaimAfter, shards, founding

local key = KEYS[6]
local name, seq, node = ARGV[1], ARGV[2], ARGV[3]
local ttl, reclaim, shards, founding = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7] == '1'

local meta = read_meta()
meta.shards = tonumber(redis.call('HGET', META, 'shards') or nil)
local now, run = server_time(), server_run()

local function begin(learning)
  meta.run = run
  meta.incarnation = run .. '/' .. string.format('%.0f', now)
  meta.learn = meta.clock + learning
end

if meta.incarnation == '' then
  meta.clock, meta.time, meta.shards, meta.ttl = now, now, shards, ttl
  begin(founding and 0 or ttl)
elseif meta.shards ~= shards then
  return { 'refused', meta.shards, shards }
else
  tick(meta, now)
  if meta.run ~= run then
    meta.ttl = math.max(meta.ttl, ttl)
    begin(meta.ttl)
  elseif redis.call('ZCARD', SESSIONS) == 0 and not is_learning(meta) then
    meta.ttl = ttl
  elseif ttl > meta.ttl then -- the TTL is the longest of all sessions
    if is_learning(meta) then
      meta.learn = meta.learn + ttl - meta.ttl
    end
    meta.ttl = ttl
  end
end
redis.call(
  'HSET', META, 'incarnation', meta.incarnation, 'run', meta.run, 'ttl', meta.ttl, 'shards', meta.shards,
  'time', meta.time, 'clock', meta.clock, 'learn', meta.learn
)

local session = read_session(key)
if not session then
  session = { reclaim = reclaim }
  redis.call('HSET', key, 'reclaim', reclaim, 'dead', 0)
  redis.call('HSET', NODES, name, node)
elseif session.dead then
  return { 'rejoin', meta.incarnation }
elseif not larger(seq, session.seq) then
  return { 'old', session.seq }
end
renew(meta, key, name, session.reclaim, seq)
return { 'joined', meta.incarnation, learning_left(meta), redis.call('ZCARD', SESSIONS) }
