-- Sends prepared requests in turn and prints one line of results.

local texts = {}
local at = 0

function init(args)
  local file = assert(io.open(args[1], 'rb'))
  for text in file:read('*a'):gmatch('[^\30]+') do texts[#texts + 1] = text end
  file:close()
  if #texts == 1 then
    -- wrk formats a request that never changes once, and calls no function for it.
    wrk.format = function() return texts[1] end
  else
    request = function()
      at = at % #texts + 1
      return texts[at]
    end
  end
end

function done(summary, latency, requests)
  local errors = summary.errors
  print(string.format(
    'measured {"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,"p999":%d,"errors":%d,"broken":%d,"late":%d}',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), latency:percentile(99.9),
    errors.status, errors.connect + errors.read + errors.write, errors.timeout))
end
