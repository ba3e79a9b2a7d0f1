// SPDX-License-Identifier: Apache-2.0
//
// What the two sides of the simulated libmicrohttpd share: its functions, which
// mica calls (microhttpd.c), and its thread, which calls mica (wire.c).
#ifndef MICA_TESTS_SIM_WIRE_H
#define MICA_TESTS_SIM_WIRE_H

#include <microhttpd.h>

#include "hosts.h"

// Of a request.
enum sim_text {
    SIM_METHOD,
    SIM_SESSION,
    SIM_VERSION,
    SIM_LAST_EVENT,
    SIM_BODY,
    SIM_TEXTS
};

struct MHD_Response {
    unsigned references;
    const char *body; // borrowed, or in `copy`; or:
    char *copy;
    size_t size;
    MHD_ContentReaderCallback read;
    MHD_ContentReaderFreeCallback let_go;
    void *data;
    struct sim_head head;
};

// Responses that were not given back.
extern size_t sim_responses;

enum sim_stage {
    SIM_COMES,   // the request is there, mica has not been called
    SIM_RUNS,    // it has, and there is no response yet
    SIM_ANSWERS, // there is
    SIM_OVER
};

struct MHD_Connection {
    struct MHD_Connection *next;
    struct MHD_Daemon *daemon; // NULL: it is not there yet
    int number, client, host;
    bool left;        // the client hears no more of it
    bool gone;        // and its server may see that
    bool refused;     // no server serves it
    int64_t notified; // what was sent last arrives then
    char *texts[SIM_TEXTS];
    struct MHD_Response *response;
    uint64_t position;
    enum sim_stage stage;
    bool suspended, resumed, began;
    int sockets[2]; // the server's and the client's, or -1
    void *link, *request;
    union MHD_ConnectionInfo info;
    struct sockaddr peer; // of no family that has addresses
};

struct MHD_Daemon {
    struct sim_host *host;
    void *(*arrived)(void *data, const char *uri,
                     struct MHD_Connection *connection);
    MHD_AccessHandlerCallback answer;
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connected;
    void *arrived_data, *answer_data, *completed_data, *connected_data;
    int listener;
    bool quiet, stops, has_stopped;
};

// The thread of a daemon.
void sim_wire_serve(void *daemon);

#endif
