// SPDX-License-Identifier: Apache-2.0
//
// Says at the start of a server which of its tools the project lets fetch from no server.
#ifndef MICA_CLI_FETCH_NOTICE_H
#define MICA_CLI_FETCH_NOTICE_H

#include "cli/cli.h"
#include "server/server.h"

// One line on stderr, with what mica.toml needs; none when each tool reaches a server.
void mica_fetch_notice(struct mica_cli *cli, struct mica_server *server);

#endif
