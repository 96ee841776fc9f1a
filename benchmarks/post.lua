-- wrk's script for a POST of the same JSON text again and again: wrk -s post.lua URL -- TEXT
function init(arguments)
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
  wrk.body = arguments[1]
end
