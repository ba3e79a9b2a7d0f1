// SPDX-License-Identifier: Apache-2.0
//
// notes: what is written in one call is read in another, and each call writes once.
#include <mica/keep.h>
#include <mica/test.h>

extern const struct mica_tool mica_tool_notes;

#define MILK \
    "{\"action\": \"write\", \"name\": \"milk\", \"words\": \"Buy milk.\"}"

static const struct mica_outcome *
run(struct mica_mock *mock, const char *json)
{
    return mica_run_tool(&mica_tool_notes, json, mock);
}

MICA_TEST(a_note_is_read_in_a_later_call)
{
    struct mica_mock *mock = mica_mock_open();

    MICA_EXPECT_FAILS(run(mock, "{\"action\": \"read\", \"name\": \"milk\"}"),
                      "KEEP_NOT_FOUND");
    MICA_EXPECT_SAYS(run(mock, MILK), "Written.");
    MICA_EXPECT_SAYS(run(mock, "{\"action\": \"read\", \"name\": \"milk\"}"),
                     "Buy milk.");
    MICA_EXPECT_KEPT(mock, &mica_tool_notes, "milk",
                     "{\"words\": \"Buy milk.\", \"writes\": 1}");
    MICA_EXPECT_SAYS(run(mock, "{\"action\": \"forget\", \"name\": \"milk\"}"),
                     "Forgotten.");
    MICA_EXPECT_SAYS(run(mock, "{\"action\": \"forget\", \"name\": \"milk\"}"),
                     "There was no such note.");
    MICA_EXPECT_KEPT(mock, &mica_tool_notes, "milk", NULL);
    mica_mock_close(mock);
}

MICA_TEST(notes_are_listed_by_how_their_names_begin)
{
    struct mica_mock *mock = mica_mock_open();

    MICA_EXPECT_SAYS(run(mock, "{\"action\": \"list\"}"),
                     "There are no notes.");
    mica_mock_keep(mock, &mica_tool_notes, "shop/tea",
                   "{\"words\": \"Tea.\", \"writes\": 1}");
    mica_mock_keep(mock, &mica_tool_notes, "shop/milk",
                   "{\"words\": \"Milk.\", \"writes\": 1}");
    mica_mock_keep(mock, &mica_tool_notes, "work",
                   "{\"words\": \"Work.\", \"writes\": 1}");
    MICA_EXPECT_SAYS(run(mock, "{\"action\": \"list\", \"name\": \"shop/\"}"),
                     "shop/milk: Milk.\nshop/tea: Tea.");
    MICA_EXPECT_SAYS(run(mock, "{\"action\": \"list\"}"),
                     "shop/milk: Milk.\nshop/tea: Tea.\nwork: Work.");
    mica_mock_close(mock);
}

MICA_TEST(a_note_needs_a_name)
{
    struct mica_mock *mock = mica_mock_open();

    MICA_EXPECT_FAILS(run(mock, "{\"action\": \"read\"}"), "NAME_MISSING");
    mica_mock_close(mock);
}

static void
must_have_written_once(struct mica_mock *mock,
                       const struct mica_outcome *outcome, void *data)
{
    (void)data;
    MICA_EXPECT_SAYS(outcome, "Written.");
    MICA_EXPECT_KEPT(mock, &mica_tool_notes, "milk",
                     "{\"words\": \"Buy milk.\", \"writes\": 8}");
}

MICA_TEST(a_note_is_written_once_wherever_its_process_dies)
{
    const struct mica_replay once = {.end = must_have_written_once};
    struct mica_mock *mock = mica_mock_open();

    mica_mock_keep(mock, &mica_tool_notes, "milk",
                   "{\"words\": \"Old.\", \"writes\": 7}");
    mica_replay_tool(&mica_tool_notes, MILK, mock, &once);
    mica_mock_close(mock);
}

MICA_TEST_MAIN
