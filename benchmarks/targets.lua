-- wrk's script for GETs of many targets in turn: wrk -s targets.lua URL -- TARGET...
local requests, last = {}, 0
function init(targets)
  for i, target in ipairs(targets) do requests[i] = wrk.format("GET", target) end
end
function request()
  last = last % #requests + 1
  return requests[last]
end
