// SPDX-License-Identifier: Apache-2.0
//
// What the pieces of docs/tool.md take for granted, so that a compiler can read
// them.
#include <mica/tool.h>

struct kitchen;
extern const struct mica_service_definition kitchen_service;
bool kitchen_order(struct kitchen *kitchen, struct mica_text key,
                   struct mica_text dish, int64_t *number_out);
void kitchen_leave(struct kitchen *kitchen, int64_t number);

// And that of README.md.
struct flight {
    struct mica_text number;
};
struct booking {
    int64_t number;
};
MICA_RECORD(flight, MICA_TEXT(number, "Of the flight."));
MICA_RECORD(booking, MICA_INTEGER(number, "Of the booking."));
enum mica_status charge(struct mica_server_call *call, const struct flight *in,
                        struct booking *out);
MICA_STEP(charge, flight, booking, charge);
