// SPDX-License-Identifier: Apache-2.0
//
// A failure as a problem document (RFC 9457), wherever one is written:
//
//     {"type":"/api/errors/OUT_OF_RANGE","title":"a value lies outside its bounds",
//      "status":422,"detail":"/weight is 0; …","code":"OUT_OF_RANGE",
//      "pointer":"/weight"}
//
// What a client may rely on is the code; its type is where the code is explained.
//
// At a published app the same failure has the form of the contract of apps:
//
//     {"error":{"code":"OUT_OF_RANGE","message":"/weight is 0; …",
//               "details":{"path":"/weight"}}}
#ifndef MICA_REST_PROBLEM_DETAILS_H
#define MICA_REST_PROBLEM_DETAILS_H

#include <mica/json.h>

// Under this path each code of mica's table is explained.
#define MICA_REST_ERRORS "/api/errors"

enum mica_problem_form {
    MICA_PROBLEM_DOCUMENT, // RFC 9457
    MICA_PROBLEM_OF_APP    // {"error":{"code","message","details"}}
};

struct mica_problem_details {
    enum mica_problem_form form;
    struct mica_text code;    // stable: of mica's table, or a tool's own
    struct mica_text detail;  // for people
    struct mica_text pointer; // to the bad value, RFC 6901; or empty
    struct mica_text more;    // more members, as JSON text; or empty
    struct mica_text
        details; // of the form of apps, a JSON object; empty: made here
    struct mica_text base; // in front of its addresses (base_path.h); or empty
    bool own;              // the tool's, whatever the code reads like: FAILED
    unsigned status;       // of HTTP; 0: the table's
};

void mica_problem_details_document(struct mica_buffer *buffer,
                                   const struct mica_problem_details *problem);

// What kind of failure it is: of mica's table, or MICA_FAILED for a tool's own.
enum mica_status
mica_problem_details_status(const struct mica_problem_details *problem);

// The status of the table with that code; MICA_FAILED for a tool's own.
enum mica_status mica_status_of_code(struct mica_text code);

#endif
