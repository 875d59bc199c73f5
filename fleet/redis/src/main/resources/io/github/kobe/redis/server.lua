-- What a script asks the server. Tests replace this part.

-- The time, in milliseconds.
local function server_time()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

-- Names the process of the server: another one may have lost data.
local function server_run()
  local info = redis.call('INFO', 'server')
  local _, at = string.find(info, 'run_id:', 1, true)
  return string.sub(info, at + 1, at + 40)
end
