-- wrk's script for requests that a file has as they are sent, a NUL between them, in turn: wrk -s requests.lua URL -- FILE
local requests, last = {}, 0
function init(arguments)
  local file = assert(io.open(arguments[1], "rb"))
  for text in (file:read("*a") .. "\0"):gmatch("(%Z*)%z") do requests[#requests + 1] = text end
  file:close()
end
function request()
  last = last % #requests + 1
  return requests[last]
end
