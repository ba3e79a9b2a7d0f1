// SPDX-License-Identifier: Apache-2.0
//
// The places of mica-build, which is never installed: the environment names the parts
// of mica to it.
#include "build/installed.h"

const char mica_installed_prefix[] = "/usr";
const char mica_installed_folder[] = "mica";
const char mica_installed_archive[] = "mica/libmica-module.a";
const char mica_installed_runtime[] = "mica/runtime";
const char mica_installed_headers[] = "mica/include";
