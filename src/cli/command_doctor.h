// SPDX-License-Identifier: Apache-2.0
//
// What mica doctor looks at, and what it finds.
#ifndef MICA_CLI_COMMAND_DOCTOR_H
#define MICA_CLI_COMMAND_DOCTOR_H

#include "cli/cli.h"

enum mica_finding_level {
    MICA_FINDING_OK,
    MICA_FINDING_WARN, // something will not work, or not as meant
    MICA_FINDING_FAIL  // mica cannot do its work
};

// All texts are in the arena.
struct mica_finding {
    enum mica_finding_level level;
    const char *check; // what was looked at, one word or two
    const char *fact;  // what was found, for a person
    const char *fix;   // what to do, or NULL
};

struct mica_doctor {
    struct mica_cli *cli;
    const struct mica_options *options;
    struct mica_finding *findings;
    size_t count, room;
};

// Adds what was found; `factz` and `fixz` (NULL where there is nothing to do) are
// copied.
void mica_doctor_add(struct mica_doctor *doctor, enum mica_finding_level level,
                     const char *checkz, const char *factz, const char *fixz);

// Prints all findings: JSON for a program, else lines.
void mica_doctor_print(const struct mica_doctor *doctor);

// Each looks at one part and adds what it finds. In the order of a report.
void mica_doctor_toolchain(struct mica_doctor *doctor);
void mica_doctor_state(struct mica_doctor *doctor);
void mica_doctor_folder(struct mica_doctor *doctor);
void mica_doctor_machine(struct mica_doctor *doctor);
void mica_doctor_models(struct mica_doctor *doctor); // of the folder
void mica_doctor_clients(struct mica_doctor *doctor);

#endif
