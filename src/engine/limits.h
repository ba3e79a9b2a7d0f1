// SPDX-License-Identifier: Apache-2.0
//
// The limits of a call for which its engine names none.
#ifndef MICA_ENGINE_LIMITS_H
#define MICA_ENGINE_LIMITS_H

#define MICA_DEFAULT_TIME_MS      250u
#define MICA_DEFAULT_MEMORY_BYTES (16u << 20)
#define MICA_LARGEST_MEMORY_BYTES (64u << 20)
#define MICA_DEFAULT_OUTPUT_BYTES (1u << 20)

#endif
