-- What a script asks the server. Tests replace this part.

-- The time, in milliseconds.
local function server_time()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

-- Names the process of the server: another one may have lost data.
local function server_run()
  return string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
end
