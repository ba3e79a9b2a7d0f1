// SPDX-License-Identifier: Apache-2.0
//
// Signatures that others made: the examples of RFC 7515 (A.2, A.3) and RFC 8037
// (A.4), with the keys that stand beside them.
#include <string.h>

#include "auth/issuer_keys.h"
#include "unit.h"

#define JOE                                                            \
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt" \
    "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

static const struct {
    const char *key;
    enum mica_algorithm algorithm;
    const char *signed_part, *signature;
} vectors[] = {
    {"{\"kty\":\"RSA\",\"n\":\"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0"
     "l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_"
     "YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUs"
     "LA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5"
     "IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRW"
     "yuXpoQ\",\"e\":\"AQAB\"}",
     MICA_ALGORITHM_RS256, "eyJhbGciOiJSUzI1NiJ9." JOE,
     "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4B"
     "h-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZ"
     "LgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_d"
     "O--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6"
     "LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"},
    {"{\"kty\":\"EC\",\"crv\":\"P-256\","
     "\"x\":\"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU\","
     "\"y\":\"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0\"}",
     MICA_ALGORITHM_ES256, "eyJhbGciOiJFUzI1NiJ9." JOE,
     "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKT"
     "UJqPP3-Kg6NU1Q"},
    {"{\"kty\":\"OKP\",\"crv\":\"Ed25519\","
     "\"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}",
     MICA_ALGORITHM_EDDSA,
     "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc",
     "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7"
     "sVvpAr_MuM0KAg"},
};

START_TEST(the_signatures_of_the_rfcs_are_good)
{
    for (size_t i = 0; i < MICA_COUNT(vectors); i++) {
        struct mica_arena arena;
        struct mica_buffer set, signature;
        struct mica_keys *keys = NULL;
        struct mica_error error = {.message = ""};
        char text[256];

        mica_arena_init(&arena, 1 << 20);
        mica_buffer_init(&set, &arena, 4096);
        mica_buffer_format(&set, "{\"keys\":[%s]}", vectors[i].key);
        ck_assert_msg(
            mica_keys_read(mica_buffer_as_text(&set), &error, &keys) == MICA_OK,
            "%s", error.message);
        mica_buffer_init(&signature, &arena, 4096);
        ck_assert(
            mica_base64url_read(&signature, mica_text(vectors[i].signature)));
        struct mica_token token = {
            .algorithm = vectors[i].algorithm,
            .signed_part = mica_text(vectors[i].signed_part),
            .signature = mica_buffer_as_text(&signature)};
        ck_assert_int_eq(mica_keys_verify(keys, &token), MICA_VERDICT_GOOD);
        // And of nothing else.
        strcpy(text, vectors[i].signed_part);
        text[30] ^= 1;
        token.signed_part = mica_text(text);
        ck_assert_int_eq(mica_keys_verify(keys, &token), MICA_VERDICT_BAD);
        mica_keys_free(keys);
        mica_arena_fini(&arena);
    }
}
END_TEST

UNIT_MAIN("auth_vectors", the_signatures_of_the_rfcs_are_good)
