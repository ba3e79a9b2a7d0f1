-- SPDX-License-Identifier: Apache-2.0
--
-- For wrk: conversations with a tool that asks one question (bench-asks), as a
-- client of the stateless revision has them. A reply that asks is answered by the
-- next request that any connection sends; each conversation takes two requests.
local tool = os.getenv("BENCH_TOOL")
local meta = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",' ..
    '"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}'
local head = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{' .. meta ..
    ',"name":"' .. tool .. '"'
local first = head .. '}}'
local states = {}
local ended, wrong = 0, 0

wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Accept"] = "application/json, text/event-stream"
wrk.headers["MCP-Protocol-Version"] = "2026-07-28"
wrk.headers["Mcp-Method"] = "tools/call"
wrk.headers["Mcp-Name"] = tool

local threads = {}
function setup(thread)
    table.insert(threads, thread)
end

function request()
    local state = table.remove(states)
    if state == nil then
        return wrk.format(nil, "/mcp", nil, first)
    end
    return wrk.format(nil, "/mcp", nil, head .. ',"inputResponses":{"answer":' ..
        '{"action":"accept","content":{"yes":true}}},"requestState":"' .. state .. '"}}')
end

function response(status, _, body)
    local state = string.match(body, '"requestState":"([^"]*)"')
    if state ~= nil then
        table.insert(states, state)
    elseif string.find(body, '"yes":true', 1, true) then
        ended = ended + 1
    else
        wrong = wrong + 1
    end
    conversations, refused = ended, wrong
end

function done(summary, latency, _)
    local all, bad = 0, 0
    for _, thread in ipairs(threads) do
        all = all + (thread:get("conversations") or 0)
        bad = bad + (thread:get("refused") or 0)
    end
    local errors = summary.errors
    -- requests, microseconds, failures, p50, p99, conversations
    io.write(string.format("RESULT %d %d %d %d %d %d\n", summary.requests,
        summary.duration, bad + errors.connect + errors.read + errors.write +
        errors.status + errors.timeout, latency:percentile(50),
        latency:percentile(99), all))
end
