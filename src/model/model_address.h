// SPDX-License-Identifier: Apache-2.0
//
// Where the requests of a provider go: its address, made of the operator's url, and the
// addresses of the network to which its name may lead.
#ifndef MICA_MODEL_MODEL_ADDRESS_H
#define MICA_MODEL_MODEL_ADDRESS_H

#include <sys/socket.h>

#include "model/model.h"

struct mica_model_address {
    char url[MICA_MODEL_URL_BYTES + 64]; // of the requests
    char origin[MICA_MODEL_URL_BYTES];
    bool https;
    bool is_private; // loopback and private addresses are meant
};

// Errors: MICA_E_FORMAT, MICA_E_LIMIT.
enum mica_status
mica_model_address_make(const struct mica_model_provider_options *provider,
                        struct mica_error *error,
                        struct mica_model_address *address_out) MICA_MUST_USE;

// Is it OpenAI's own service?
bool mica_model_address_is_openai(const struct mica_model_address *address);

// May a connection go to `to`, a provider with or without a key?
//
//                 https                http with a key   http without a key
//     public      yes                  no                no: prompts could be read
//     private     if it is meant       no                if it is meant
//     loopback    if it is meant       if it is meant    if it is meant
//     nowhere     no                   no                no
bool mica_model_address_allows(const struct mica_model_address *address,
                               bool has_key, const struct sockaddr *to);

#endif
