// SPDX-License-Identifier: Apache-2.0
//
// What of the OpenAPI document is the same for every server, as the JSON that it
// is.
#include <mica/engine.h>

#include "rest/openapi_parts.h"

struct part {
    const char *name, *json;
};

// clang-format off
static const struct part problem[] = {
{"Problem", MICA_JSON({
  "type": "object",
  "description": "A failure (RFC 9457). Its code never changes its meaning; the text may.",
  "properties": {
    "type": {"type": "string", "format": "uri-reference"},
    "title": {"type": "string"},
    "status": {"type": "integer"},
    "detail": {
      "type": "string",
      "description": "What is wrong and what to do instead."
    },
    "code": {
      "type": "string",
      "description": "A stable code: of mica, or of the tool."
    },
    "pointer": {
      "type": "string",
      "description": "JSON Pointer (RFC 6901) to the bad value."
    },
    "retryable": {"type": "boolean", "description": "The same request may work later."}
  },
  "required": ["type", "title", "status", "detail", "code"]
})},
};

static const struct part problem_of_app[] = {
{"Problem", MICA_JSON({
  "type": "object",
  "description": "A failure. Its code never changes its meaning; the text may.",
  "properties": {
    "error": {
      "type": "object",
      "properties": {
        "code": {
          "type": "string",
          "description": "A stable code, like EXECUTION_ERROR or TIMEOUT."
        },
        "message": {
          "type": "string",
          "description": "What is wrong and what to do instead."
        },
        "details": {
          "type": "object",
          "description": "What a program can use: reason, path, retryAfterMs.",
          "additionalProperties": true
        }
      },
      "required": ["code", "message", "details"]
    }
  },
  "required": ["error"]
})},
};

static const struct part schemas[] = {
{"Question", MICA_JSON({
  "type": "object",
  "properties": {
    "kind": {"type": "string", "enum": ["form", "page", "sampling", "roots"]},
    "message": {"type": "string", "description": "What a person is told."},
    "schema": {
      "type": "object",
      "description": "JSON Schema of the answer.",
      "additionalProperties": true
    },
    "url": {
      "type": "string",
      "format": "uri",
      "description": "Of a page that the person is sent to."
    },
    "request": {
      "type": "object",
      "description": "What a model is asked, as sampling/createMessage of MCP has it.",
      "additionalProperties": true
    },
    "error": {
      "type": "object",
      "description": "Why the last answer was not taken.",
      "properties": {
        "code": {"type": "string"},
        "detail": {"type": "string"},
        "pointer": {"type": "string", "description": "To the field of the answer."}
      },
      "required": ["code", "detail", "pointer"]
    }
  },
  "required": ["kind"]
})},
{"Call", MICA_JSON({
  "type": "object",
  "description": "A call that waits for answers, continues by itself, or has ended.",
  "properties": {
    "id": {"type": "string"},
    "tool": {"type": "string"},
    "status": {
      "type": "string",
      "enum": ["working", "input_required", "completed", "failed", "cancelled"]
    },
    "note": {"type": "string", "description": "What it is doing."},
    "progress": {
      "type": "object",
      "description": "How far a task is.",
      "properties": {
        "progress": {"type": "number"},
        "total": {"type": "number"}
      },
      "required": ["progress"]
    },
    "log": {
      "type": "array",
      "description": "The last messages of a task, those behind ?after=N.",
      "items": {
        "type": "object",
        "properties": {
          "number": {
            "type": "integer",
            "description": "Rises by 1 with each message."
          },
          "level": {"type": "string"},
          "message": {"type": "string"}
        },
        "required": ["number", "level", "message"]
      }
    },
    "round": {
      "type": "integer",
      "description": "Of the questions; goes with the answers as ?round=N."
    },
    "questions": {
      "type": "object",
      "description": "By their keys.",
      "additionalProperties": {"$ref": "#/components/schemas/Question"}
    },
    "result": {"description": "What the tool gave, once completed."},
    "problem": {"$ref": "#/components/schemas/Problem"},
    "created": {"type": "string", "format": "date-time"},
    "changed": {"type": "string", "format": "date-time"},
    "expires": {"type": "string", "format": "date-time"},
    "links": {
      "type": "object",
      "properties": {
        "self": {"type": "string"},
        "answers": {"type": "string", "description": "Where its answers go."},
        "page": {"type": "string", "description": "Where a person answers."}
      },
      "required": ["self"]
    }
  },
  "required": ["id", "tool", "status", "created", "changed", "expires", "links"]
})},
{"Answers", MICA_JSON({
  "type": "object",
  "description": "An answer by the key of its question: the form's content, a text of a model, a list of roots; or {\"action\": \"accept\", \"content\": {}}, and \"decline\" or \"cancel\".",
  "additionalProperties": true
})},
{"Tool", MICA_JSON({
  "type": "object",
  "properties": {
    "name": {"type": "string"},
    "title": {"type": "string"},
    "description": {"type": "string"},
    "category": {"type": "string"},
    "pure": {
      "type": "boolean",
      "description": "An engine: GET works, and its result depends on its arguments alone."
    },
    "sha256": {"type": "string", "description": "Of the engine's module."},
    "links": {
      "type": "object",
      "properties": {"call": {"type": "string"}},
      "required": ["call"]
    }
  },
  "required": ["name", "description", "pure", "links"]
})},
{"Catalog", MICA_JSON({
  "type": "object",
  "properties": {
    "tools": {"type": "array", "items": {"$ref": "#/components/schemas/Tool"}},
    "total": {"type": "integer"},
    "links": {
      "type": "object",
      "properties": {
        "describedby": {"type": "string"},
        "next": {"type": "string", "description": "The next page."}
      },
      "required": ["describedby"]
    }
  },
  "required": ["tools", "total", "links"]
})},
{"Error", MICA_JSON({
  "type": "object",
  "properties": {
    "code": {"type": "string"},
    "title": {"type": "string"},
    "status": {"type": "integer"},
    "retryable": {"type": "boolean"}
  },
  "required": ["code", "title", "status", "retryable"]
})},
};

static const struct part failures[] = {
{"Problem", MICA_JSON({
  "description": "It failed: a problem document with a stable code.",
  "content": {
    "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}
  }
})},
{"Busy", MICA_JSON({
  "description": "The server is busy; the same request may work later.",
  "headers": {
    "Retry-After": {"description": "Seconds.", "schema": {"type": "integer"}}
  },
  "content": {
    "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}
  }
})},
};

static const struct part failures_of_app[] = {
{"Problem", MICA_JSON({
  "description": "It failed: an error with a stable code.",
  "content": {
    "application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}
  }
})},
{"Busy", MICA_JSON({
  "description": "The server is busy; the same request may work later.",
  "headers": {
    "Retry-After": {"description": "Seconds.", "schema": {"type": "integer"}}
  },
  "content": {
    "application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}
  }
})},
};

static const struct part responses[] = {
{"Unchanged", MICA_JSON({"description": "What the client has is still right."})},
{"Accepted", MICA_JSON({
  "description": "The call waits for answers to its questions, or continues by itself: see its state.",
  "headers": {
    "Location": {
      "description": "Of the call.",
      "schema": {"type": "string", "format": "uri-reference"}
    },
    "Retry-After": {
      "description": "Seconds, while it continues by itself.",
      "schema": {"type": "integer"}
    }
  },
  "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Call"}}}
})},
};

static const struct part parameters[] = {
{"IdempotencyKey", MICA_JSON({
  "name": "Idempotency-Key",
  "in": "header",
  "description": "The same key and arguments are the same call.",
  "schema": {"type": "string", "maxLength": 256}
})},
{"Asks", MICA_JSON({
  "name": "Mica-Asks",
  "in": "header",
  "description": "What this client answers: elicitation, elicitation.url, sampling, sampling.tools, roots; or none. All of it when absent.",
  "schema": {"type": "string"}
})},
};

static const struct part paths[] = {
{"/api", MICA_JSON({
  "get": {
    "operationId": "tools",
    "summary": "Lists the tools",
    "parameters": [
      {
        "name": "after",
        "in": "query",
        "description": "The name of the tool behind which the page begins.",
        "schema": {"type": "string"}
      }
    ],
    "responses": {
      "200": {
        "description": "A page of the catalog.",
        "content": {
          "application/json": {"schema": {"$ref": "#/components/schemas/Catalog"}}
        }
      },
      "304": {"$ref": "#/components/responses/Unchanged"},
      "404": {"$ref": "#/components/responses/Problem"},
      "default": {"$ref": "#/components/responses/Problem"}
    }
  }
})},
{"/api/errors/{code}", MICA_JSON({
  "get": {
    "operationId": "error",
    "summary": "Says what a code of mica's means",
    "parameters": [
      {
        "name": "code",
        "in": "path",
        "required": true,
        "schema": {"type": "string"}
      }
    ],
    "responses": {
      "200": {
        "description": "The code.",
        "content": {
          "application/json": {"schema": {"$ref": "#/components/schemas/Error"}}
        }
      },
      "404": {"$ref": "#/components/responses/Problem"},
      "default": {"$ref": "#/components/responses/Problem"}
    }
  }
})},
};

static const struct part call_paths[] = {
{"/api/calls/{id}", MICA_JSON({
  "parameters": [
    {
      "name": "id",
      "in": "path",
      "required": true,
      "description": "Of the call, as the 202 had it.",
      "schema": {"type": "string"}
    }
  ],
  "get": {
    "operationId": "call",
    "summary": "Says how a call is",
    "parameters": [
      {
        "name": "after",
        "in": "query",
        "description": "Number of the last message of the log that is known.",
        "schema": {"type": "integer"}
      }
    ],
    "responses": {
      "200": {
        "description": "Its state.",
        "content": {
          "application/json": {"schema": {"$ref": "#/components/schemas/Call"}}
        }
      },
      "404": {"$ref": "#/components/responses/Problem"},
      "default": {"$ref": "#/components/responses/Problem"}
    }
  },
  "post": {
    "operationId": "call.answer",
    "summary": "Answers the questions of a call",
    "parameters": [
      {
        "name": "round",
        "in": "query",
        "description": "Of the questions; those that are open, without it.",
        "schema": {"type": "integer"}
      }
    ],
    "requestBody": {
      "required": true,
      "content": {
        "application/json": {"schema": {"$ref": "#/components/schemas/Answers"}}
      }
    },
    "responses": {
      "200": {
        "description": "What the tool gave; of a task that has ended, its state.",
        "content": {"application/json": {"schema": {}}}
      },
      "202": {"$ref": "#/components/responses/Accepted"},
      "404": {"$ref": "#/components/responses/Problem"},
      "409": {"$ref": "#/components/responses/Problem"},
      "422": {"$ref": "#/components/responses/Problem"},
      "503": {"$ref": "#/components/responses/Busy"},
      "default": {"$ref": "#/components/responses/Problem"}
    }
  },
  "delete": {
    "operationId": "call.cancel",
    "summary": "Gives a call up",
    "responses": {
      "200": {
        "description": "It had ended.",
        "content": {
          "application/json": {"schema": {"$ref": "#/components/schemas/Call"}}
        }
      },
      "202": {"$ref": "#/components/responses/Accepted"},
      "404": {"$ref": "#/components/responses/Problem"},
      "default": {"$ref": "#/components/responses/Problem"}
    }
  }
})},
};
// clang-format on

static void
write_parts(const struct part *parts, size_t count,
            struct mica_json_writer *writer)
{
    for (size_t i = 0; i < count; i++) {
        mica_json_name(writer, parts[i].name);
        mica_json_raw(writer, mica_text(parts[i].json));
    }
}

void
mica_openapi_common_schemas(enum mica_problem_form form,
                            struct mica_json_writer *writer)
{
    write_parts(form == MICA_PROBLEM_OF_APP ? problem_of_app : problem, 1,
                writer);
    write_parts(schemas, MICA_COUNT(schemas), writer);
}

void
mica_openapi_common_responses(enum mica_problem_form form,
                              struct mica_json_writer *writer)
{
    write_parts(form == MICA_PROBLEM_OF_APP ? failures_of_app : failures,
                MICA_COUNT(failures), writer);
    write_parts(responses, MICA_COUNT(responses), writer);
}

void
mica_openapi_common_parameters(struct mica_json_writer *writer)
{
    write_parts(parameters, MICA_COUNT(parameters), writer);
}

void
mica_openapi_common_paths(bool calls, struct mica_json_writer *writer)
{
    write_parts(paths, MICA_COUNT(paths), writer);
    if (calls)
        write_parts(call_paths, MICA_COUNT(call_paths), writer);
}
