// SPDX-License-Identifier: Apache-2.0
//
// Services, which handlers find by name. registry.h has most functions.
#ifndef MICA_REGISTRY_SERVICE_H
#define MICA_REGISTRY_SERVICE_H

#include "registry/registry.h"

// Closes the services of tools, when the registry ends.
void mica_services_close(struct mica_registry *registry);

#endif
