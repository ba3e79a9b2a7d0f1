// SPDX-License-Identifier: Apache-2.0
//
// Services: what handlers use by its name. Most functions are in registry.h.
#ifndef MICA_REGISTRY_SERVICE_H
#define MICA_REGISTRY_SERVICE_H

#include "registry/registry.h"

// Closes what tools have opened, as the registry ends.
void mica_services_close(struct mica_registry *registry);

#endif
