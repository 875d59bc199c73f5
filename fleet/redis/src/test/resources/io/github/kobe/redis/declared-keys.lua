-- In tests: fails if a script uses a key that it has not declared.
local server = redis
local declared = {}
for i = 1, #KEYS do
  declared[KEYS[i]] = true
end
local without_key = { TIME = true, INFO = true, PUBLISH = true }
local redis = {
  call = function(command, ...)
    local key = ...
    if not without_key[command] and not declared[key] then
      error('key ' .. tostring(key) .. ' is not declared')
    end
    return server.call(command, ...)
  end,
}
