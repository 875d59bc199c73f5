-- The state of a shard: its clock, its incarnation, its sessions. docs/design/fleet.md has the rules.
--
-- The first keys of every script are those of the shard. Sequence numbers and versions are 64 bits wide, which a number of Lua is not, so
-- they stay strings.

local META, SESSIONS, CONFIG, PUSHED, NODES = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]

local NO_TARGET = -1

-- Whether the first of two whole numbers that are not negative, as strings, is larger.
local function larger(a, b)
  if #a ~= #b then
    return #a > #b
  end
  return a > b
end

local function read_meta()
  local values = redis.call('HMGET', META, 'incarnation', 'run', 'ttl', 'time', 'clock', 'learn')
  return {
    incarnation = values[1] or '',
    run = values[2] or '',
    ttl = tonumber(values[3]),
    time = tonumber(values[4]),
    clock = tonumber(values[5]),
    learn = tonumber(values[6]),
  }
end

-- Moves the clock on: by a quarter of the TTL at most, and never back.
local function tick(meta, now)
  local passed = math.max(0, math.min(now - meta.time, math.floor(meta.ttl / 4)))
  meta.clock = meta.clock + passed
  meta.time = now
end

local function write_clock(meta)
  redis.call('HSET', META, 'time', meta.time, 'clock', meta.clock)
end

local function is_learning(meta)
  return meta.clock < meta.learn
end

local function learning_left(meta)
  return math.max(0, meta.learn - meta.clock)
end

-- The incarnation that callers can join; empty if the next hello begins a new one.
local function incarnation_now(meta)
  if meta.run == server_run() then
    return meta.incarnation
  end
  return ''
end

-- The state for a call of a member of an incarnation, or nil and the answer to it.
local function check(incarnation)
  local meta = read_meta()
  local current = incarnation_now(meta)
  if current == '' or current ~= incarnation then
    return nil, { 'rejoin', current }
  end
  return meta, nil
end

-- The same, with its clock moved on.
local function enter(incarnation)
  local meta, refusal = check(incarnation)
  if meta then
    tick(meta, server_time())
    write_clock(meta)
  end
  return meta, refusal
end

-- The session of a key, or nil.
local function read_session(key)
  local values = redis.call('HMGET', key, 'seq', 'reclaim', 'dead')
  if not values[1] then
    return nil
  end
  return { seq = values[1], reclaim = tonumber(values[2]), dead = values[3] == '1' }
end

-- Renews a session. The caller writes the rest of it.
local function renew(meta, key, name, reclaim, seq)
  redis.call('HSET', key, 'seq', seq)
  redis.call('ZADD', SESSIONS, meta.clock + meta.ttl + reclaim, name)
end

-- Removes a dead session if it has no groups any more. Answers with the groups that are left.
local function remove_if_empty(key, groups_key, name)
  local left = redis.call('SRANDMEMBER', groups_key, 64)
  if #left == 0 then
    redis.call('DEL', key)
    redis.call('ZREM', SESSIONS, name)
    redis.call('HDEL', PUSHED, name)
    redis.call('HDEL', NODES, name)
  end
  local answer = { 'reaped', 0 }
  for i = 1, #left do
    answer[i + 2] = left[i]
  end
  return answer
end
