// SPDX-License-Identifier: Apache-2.0
//
// What the build sees of the forms in a tool's handler: the records that its
// source names in MICA_FORM, found in the shared object.
#include <dlfcn.h>

#include "test_form.h"

// Of the module with that many forms.
static enum mica_status
check_forms(const char *pathz, size_t count, struct mica_error *error)
{
    *error = (struct mica_error){.status = MICA_OK};
    void *handle = dlopen(pathz, RTLD_LAZY | RTLD_LOCAL);
    ck_assert_msg(handle != NULL, "%s", dlerror());
    const struct mica_tool_module *module = dlsym(handle, "mica_tool_module");
    ck_assert_ptr_nonnull(module);
    ck_assert_uint_eq((size_t)(module->forms_end - module->forms), count);
    ck_assert((module->forms == NULL) == (count == 0));
    enum mica_status status = mica_forms_check(module, error);
    ck_assert_int_eq(dlclose(handle), 0);
    return status;
}

START_TEST(a_tool_without_forms_has_none_to_check)
{
    struct mica_error error;
    ck_assert_int_eq(check_forms(MICA_FORM_MODULE_0, 0, &error), MICA_OK);
}
END_TEST

START_TEST(a_form_in_a_handler_is_found_and_taken)
{
    struct mica_error error;
    ck_assert_int_eq(check_forms(MICA_FORM_MODULE_1, 1, &error), MICA_OK);
}
END_TEST

START_TEST(a_form_that_no_run_comes_to_is_found_and_refused)
{
    struct mica_error error;
    ck_assert_int_eq(check_forms(MICA_FORM_MODULE_2, 3, &error), MICA_E_USAGE);
    ck_assert_str_eq(error.path, "/password");
    ck_assert_ptr_nonnull(strstr(error.message, "form login: \"password\""));
    ck_assert_ptr_nonnull(strstr(error.message, "mica_elicit_url"));
}
END_TEST

UNIT_MAIN("form module", a_tool_without_forms_has_none_to_check,
          a_form_in_a_handler_is_found_and_taken,
          a_form_that_no_run_comes_to_is_found_and_refused)
