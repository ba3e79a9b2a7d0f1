title: in a session, too, an idempotency key names the call that it began
server: fixture

> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{},"sampling":{}}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25", ...}}
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_sampling","arguments":{"prompt":"Hello?"},"_meta":{"mica/idempotencyKey":"a"}}}
< {"jsonrpc":"2.0","id":@ask,"method":"sampling/createMessage", ...}
# Its question and its reply come where it began.
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"test_sampling","arguments":{"prompt":"Hello?"},"_meta":{"mica/idempotencyKey":"a"}}}
< {"jsonrpc":"2.0","id":2,"error":{"data":{"code":"CALL_BUSY","retryable":true, ...}, ...}}
> {"jsonrpc":"2.0","id":$(ask),"result":{"role":"assistant","model":"m","content":{"type":"text","text":"Good morning"}}}
< 202
< {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":~"Good morning"}]}}
# It has ended: nothing is asked again.
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"test_sampling","arguments":{"prompt":"Hello?"},"_meta":{"mica/idempotencyKey":"a"}}}
< {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":~"Good morning"}]}}
> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"test_sampling","arguments":{"prompt":"Good-bye?"},"_meta":{"mica/idempotencyKey":"a"}}}
< {"jsonrpc":"2.0","id":4,"error":{"data":{"code":"STATE_SUPERSEDED", ...}, ...}}
> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"test_sampling","arguments":{"prompt":"Hello?"},"_meta":{"mica/idempotencyKey":5}}}
< {"jsonrpc":"2.0","id":5,"error":{"data":{"code":"WRONG_TYPE", ...}, ...}}
