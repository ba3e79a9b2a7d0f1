-- SPDX-License-Identifier: Apache-2.0
--
-- For wrk: post.lua for the tool BENCH_TOOL at paths of BENCH_PATH, in which %d is another
-- number below BENCH_COUNT with each request, by chance. All requests are made before the
-- first is sent, as many for one path as for ten thousand, so that the load costs the same.
dofile(os.getenv("BENCH_POST"))
wrk.headers["Mcp-Name"] = os.getenv("BENCH_TOOL")

-- Of a server that does not know the stateless revision. A session may have a %d, too.
local revision, session = os.getenv("BENCH_REVISION"), os.getenv("BENCH_SESSION")
if revision then
    wrk.headers["MCP-Protocol-Version"] = revision
end

local count, path = tonumber(os.getenv("BENCH_COUNT")), os.getenv("BENCH_PATH")
local made, last = {}, 0

function init(_)
    math.randomseed(1)
    for i = 1, 32768 do
        local number = math.random(0, count - 1)
        if session and session ~= "" then
            wrk.headers["Mcp-Session-Id"] = string.format(session, number)
        end
        made[i] = wrk.format(nil, string.format(path, number))
    end
end

function request()
    last = last % #made + 1
    return made[last]
end
