// SPDX-License-Identifier: Apache-2.0
//
// Who may claim a call for a turn without a request: answers come from the call's own
// session.
#include "test_serve_calls.h"

// It neither claims the call nor finds it busy.
START_TEST(an_answer_of_another_session_claims_nothing)
{
    const struct mica_text other =
        MICA_LITERAL("32 bytes, a key of someone else.");
    struct mica_session session = {.revision = MICA_REVISION_2025_11_25};
    struct mica_kept_call call = new_call(), taken;
    const struct mica_sessions *sessions;
    struct mica_store_session_key key;
    struct mica_text own;
    enum mica_status ending;
    int64_t fence;
    struct node node;

    begin_test();
    node = open_node("memory", NULL, 20);
    sessions = mica_session_store_sessions(node.sessions);
    MUST(sessions->create(sessions->data, &session, CALLER(&alice), &arena,
                          &error));
    key = mica_store_session_key_of(session.id);
    own = (struct mica_text){(const char *)key.bytes, 32};
    call.session = own;
    MUST(node.calls->create(node.calls->data, &call, none, &arena, &error));
    REFUSED(node.calls->claim_for_turn(node.calls->data, call.id, &other,
                                       &arena, &error, &taken, &ending),
            MICA_E_NOT_FOUND);
    REFUSED(node.calls->claim_for_turn(node.calls->data, call.id, &own, &arena,
                                       &error, &taken, &ending),
            MICA_E_CALL_BUSY);
    fence = call.fence;
    node.calls->release(node.calls->data, &call);
    REFUSED(node.calls->claim_for_turn(node.calls->data, call.id, &other,
                                       &arena, &error, &taken, &ending),
            MICA_E_NOT_FOUND);
    MUST(node.calls->claim_for_turn(node.calls->data, call.id, &own, &arena,
                                    &error, &taken, &ending));
    ck_assert_int_eq(taken.fence, fence + 1);
    close_node(&node);
    end_test();
}
END_TEST

UNIT_MAIN("claims", an_answer_of_another_session_claims_nothing)
