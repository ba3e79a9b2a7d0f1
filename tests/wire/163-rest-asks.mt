title: a tool asks a client of REST, which answers by the id of the call
over: http
server: fixture

>@ Content-Type: application/json
> POST /api/test_input_required_result_multi_round {}
< 202 {"id":@call,"tool":"test_input_required_result_multi_round","status":"input_required","round":1,
    "questions":{"step1":{"kind":"form","message":"What is your name?","schema":{"type":"object","required":["name"], ...}}}, ...}
<@ Location: ~"^/api/calls/[A-Za-z0-9_-]{22}$"
<@ Cache-Control: no-store
> GET /api/calls/$(call)
< {"status":"input_required","round":1,"links":{"self":~"/api/calls/","answers":~"\\?round=1$","page":~"^/calls/"}, ...}
# The content of a form alone, then the long form.
>@ Content-Type: application/json
> POST /api/calls/$(call)?round=1 {"step1":{"name":"Ada"}}
< 202 {"round":2,"questions":{"step2":{"message":"Which color, Ada?", ...}}, ...}
# The same once more is answered as before; another answer is not taken.
>@ Content-Type: application/json
> POST /api/calls/$(call)?round=1 {"step1":{"name":"Ada"}}
< 202 {"round":2,"questions":{"step2":{"message":"Which color, Ada?", ...}}, ...}
>@ Content-Type: application/json
> POST /api/calls/$(call)?round=1 {"step1":{"name":"Eve"}}
< 409 {"code":"STATE_SUPERSEDED","type":"/api/errors/STATE_SUPERSEDED","status":409, ...}
>@ Content-Type: application/json
> POST /api/calls/$(call)?round=2 {"step2":{"action":"accept","content":{"color":"red"}}}
< {"content":[{"type":"text","text":"Ada likes red."}]}
> GET /api/calls/$(call)
< {"status":"completed","result":{"content":[{"type":"text","text":"Ada likes red."}]}, ...}

# A model and roots are asked for as well; what is not answered is asked again.
>@ Content-Type: application/json
> POST /api/test_input_required_result_multiple_inputs {}
< 202 {"id":@three,"questions":{"user_name":{"kind":"form", ...},"greeting":{"kind":"sampling","request":{"maxTokens":50, ...},"schema":{...}},
    "roots":{"kind":"roots","schema":{...}}}, ...}
>@ Content-Type: application/json
> POST /api/calls/$(three) {"roots":[{"uri":"file:///a"}],"greeting":"Hello."}
< 202 {"questions":{"user_name":{...}}, ...}

# It is given up.
>~ DELETE /api/calls/$(three)
< {"status":"cancelled","problem":{"code":"CANCELLED","status":499, ...}, ...}

# Who says that it answers nothing is told what is missing.
>@ Content-Type: application/json
>@ Mica-Asks: none
> POST /api/test_input_required_result_multi_round {}
< 400 {"code":"CAPABILITY_MISSING", ...}

# One call has one key.
>@ Content-Type: application/json
>@ Idempotency-Key: one
>@ +Idempotency-Key: another
> POST /api/test_input_required_result_multi_round {}
< 400 {"code":"BAD_FORMAT", ...}
