// SPDX-License-Identifier: Apache-2.0
//
// Digests of text or bytes: SHA-256 (FIPS 180-4) and CRC-32 (the one of zip,
// PNG and Ethernet). Both are written to run fast inside a sandbox, where each
// access to memory is checked: SHA-256 keeps a block in variables, CRC-32
// takes eight bytes a step.
#include <mica/engine.h>
#include <string.h>

enum algorithm {
    SHA256,
    CRC32
};
MICA_CHOICES(algorithm, [SHA256] = "sha-256", [CRC32] = "crc32");

enum encoding {
    TEXT,
    BASE64
};
MICA_CHOICES(encoding, [TEXT] = "text", [BASE64] = "base64");

struct input {
    struct mica_text data;
    enum encoding encoding;
    enum algorithm algorithm;
};
MICA_RECORD(
    input,
    MICA_TEXT(data, "What to hash: a text, or bytes in base64. See encoding.",
              .max_length = 4000000),
    MICA_CHOICE(encoding, encoding,
                "How data is meant: 'text' hashes its UTF-8 bytes as they are, "
                "'base64' (RFC 4648, with padding) the bytes that it stands "
                "for.",
                .fallback = MICA_JSON("text")),
    MICA_CHOICE(algorithm, algorithm,
                "'sha-256' to tell whether someone has changed data, "
                "'crc32' only against accidents of transmission.",
                .fallback = MICA_JSON("sha-256")));

struct output {
    struct mica_text hex, base64;
    enum algorithm algorithm;
    int64_t bytes;
};
MICA_RECORD(output,
            MICA_TEXT(hex, "The digest in lower-case hexadecimal digits."),
            MICA_TEXT(base64, "The same digest in base64."),
            MICA_CHOICE(algorithm, algorithm, "The algorithm that was used."),
            MICA_INTEGER(bytes, "Number of bytes that were hashed."));

// ---- SHA-256 ---------------------------------------------------------------

static inline uint32_t
turned(uint32_t x, int bits)
{
    return x >> bits | x << (32 - bits);
}

// One access of the memory instead of four: each is checked in the sandbox. The
// memory of a module is little-endian, and so is every machine mica runs on.
static inline uint32_t
big_endian(const uint8_t *bytes)
{
    uint32_t word;

    memcpy(&word, bytes, sizeof word);
    return (turned(word, 8) & 0xff00ff00) | (turned(word, 24) & 0x00ff00ff);
}

// One round, and the word it uses. The eight variables change their roles from
// round to round instead of their places.
#define ROUND(a, b, c, d, e, f, g, h, k, w)                                 \
    do {                                                                    \
        uint32_t t1_ = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + \
                       (g ^ (e & (f ^ g))) + k + (w);                       \
        d += t1_;                                                           \
        h = t1_ + (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) +          \
            ((a & b) | (c & (a | b)));                                      \
    } while (0)
#define LOADED(n) (w##n = big_endian(bytes + 4 * (n)))
#define MIXED(n, n1, n9, n14)                                              \
    (w##n += (turned(w##n1, 7) ^ turned(w##n1, 18) ^ w##n1 >> 3) + w##n9 + \
             (turned(w##n14, 17) ^ turned(w##n14, 19) ^ w##n14 >> 10))

// Sixteen rounds; W(n, n + 1, n + 9, n + 14 modulo 16) gives word n.
#define WORD_0(n, n1, n9, n14) LOADED(n)
#define SIXTEEN(W, k0, k1, k2, k3, k4, k5, k6, k7, k8, k9, k10, k11, k12, k13, \
                k14, k15)                                                      \
    ROUND(a, b, c, d, e, f, g, h, k0, W(0, 1, 9, 14));                         \
    ROUND(h, a, b, c, d, e, f, g, k1, W(1, 2, 10, 15));                        \
    ROUND(g, h, a, b, c, d, e, f, k2, W(2, 3, 11, 0));                         \
    ROUND(f, g, h, a, b, c, d, e, k3, W(3, 4, 12, 1));                         \
    ROUND(e, f, g, h, a, b, c, d, k4, W(4, 5, 13, 2));                         \
    ROUND(d, e, f, g, h, a, b, c, k5, W(5, 6, 14, 3));                         \
    ROUND(c, d, e, f, g, h, a, b, k6, W(6, 7, 15, 4));                         \
    ROUND(b, c, d, e, f, g, h, a, k7, W(7, 8, 0, 5));                          \
    ROUND(a, b, c, d, e, f, g, h, k8, W(8, 9, 1, 6));                          \
    ROUND(h, a, b, c, d, e, f, g, k9, W(9, 10, 2, 7));                         \
    ROUND(g, h, a, b, c, d, e, f, k10, W(10, 11, 3, 8));                       \
    ROUND(f, g, h, a, b, c, d, e, k11, W(11, 12, 4, 9));                       \
    ROUND(e, f, g, h, a, b, c, d, k12, W(12, 13, 5, 10));                      \
    ROUND(d, e, f, g, h, a, b, c, k13, W(13, 14, 6, 11));                      \
    ROUND(c, d, e, f, g, h, a, b, k14, W(14, 15, 7, 12));                      \
    ROUND(b, c, d, e, f, g, h, a, k15, W(15, 0, 8, 13))

// Takes `count` blocks of 64 bytes into the state.
static void
sha256_blocks(uint32_t state[8], const uint8_t *bytes, size_t count)
{
    for (; count > 0; count--, bytes += 64) {
        uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
        uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
        uint32_t w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13,
            w14, w15;

        SIXTEEN(WORD_0, 0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5,
                0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
                0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
                0x9bdc06a7, 0xc19bf174);
        SIXTEEN(MIXED, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
                0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152,
                0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
                0x06ca6351, 0x14292967);
        SIXTEEN(MIXED, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
                0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1,
                0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624,
                0xf40e3585, 0x106aa070);
        SIXTEEN(MIXED, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5,
                0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee,
                0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb,
                0xbef9a3f7, 0xc67178f2);
        state[0] += a;
        state[1] += b;
        state[2] += c;
        state[3] += d;
        state[4] += e;
        state[5] += f;
        state[6] += g;
        state[7] += h;
    }
}

static size_t
sha256(const uint8_t *bytes, size_t size, uint8_t digest_out[32])
{
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint8_t tail[128] = {0};
    size_t rest = size % 64, blocks = rest < 56 ? 1 : 2;

    sha256_blocks(state, bytes, size / 64);
    memcpy(tail, bytes + (size - rest), rest);
    tail[rest] = 0x80;
    for (size_t i = 0; i < 8; i++) {
        tail[blocks * 64 - 1 - i] = (uint8_t)((uint64_t)size * 8 >> 8 * i);
    }
    sha256_blocks(state, tail, blocks);
    for (size_t i = 0; i < 32; i++) {
        digest_out[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
    }
    return 32;
}

// ---- CRC-32 ----------------------------------------------------------------

struct crc_table {
    uint32_t of[8][256]; // [n][b]: byte b with n bytes behind it
};

static void
make_table(struct crc_table *table)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;

        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (0xEDB88320u & (0u - (crc & 1)));
        }
        table->of[0][byte] = crc;
    }
    for (size_t n = 1; n < 8; n++) {
        for (size_t byte = 0; byte < 256; byte++) {
            uint32_t crc = table->of[n - 1][byte];

            table->of[n][byte] = crc >> 8 ^ table->of[0][crc & 255];
        }
    }
}

static size_t
crc32(struct mica_call *call, const uint8_t *bytes, size_t size,
      uint8_t digest_out[32])
{
    struct crc_table *table = MICA_NEW(call, struct crc_table, 1);
    uint32_t crc = 0xFFFFFFFFu;

    make_table(table);
    for (; size >= 8; size -= 8, bytes += 8) {
        uint32_t low =
            crc ^ ((uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 |
                   (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24);

        crc = table->of[7][low & 255] ^ table->of[6][low >> 8 & 255] ^
              table->of[5][low >> 16 & 255] ^ table->of[4][low >> 24] ^
              table->of[3][bytes[4]] ^ table->of[2][bytes[5]] ^
              table->of[1][bytes[6]] ^ table->of[0][bytes[7]];
    }
    for (; size > 0; size--, bytes++) {
        crc = crc >> 8 ^ table->of[0][(crc ^ *bytes) & 255];
    }
    for (size_t i = 0; i < 4; i++) {
        digest_out[i] = (uint8_t)(~crc >> (24 - 8 * i));
    }
    return 4;
}

static enum mica_status
digest(struct mica_call *call, const struct input *in, struct output *out)
{
    struct mica_buffer decoded = mica_builder(call);
    struct mica_buffer hex = mica_builder(call), base64 = mica_builder(call);
    struct mica_text data = in->data;
    const uint8_t *bytes;
    uint8_t digest[32];
    size_t size = 0;

    if (in->encoding == BASE64) {
        if (!mica_base64_read(&decoded, in->data)) {
            return mica_fail(
                call, "BAD_BASE64", "data",
                "data='%.*s%s' is not base64 of RFC 4648: groups "
                "of four of A-Z a-z 0-9 + /, padded with '=', no "
                "white space. Encode it so, or pass "
                "encoding='text'.",
                MICA_ARG(mica_text_slice(
                    data, 0, mica_utf8_valid(mica_text_slice(data, 0, 40)))),
                data.len > 40 ? "…" : "");
        }
        data = mica_buffer_as_text(&decoded);
    }
    bytes = (const uint8_t *)(data.len > 0 ? data.ptr : "");
    switch (in->algorithm) {
    case SHA256:
        size = sha256(bytes, data.len, digest);
        break;
    case CRC32:
        size = crc32(call, bytes, data.len, digest);
        break;
    }
    for (size_t i = 0; i < size; i++) {
        mica_buffer_format(&hex, "%02x", (unsigned)digest[i]);
    }
    mica_base64_write(&base64, digest, size);
    out->hex = mica_buffer_as_text(&hex);
    out->base64 = mica_buffer_as_text(&base64);
    out->algorithm = in->algorithm;
    out->bytes = (int64_t)data.len;
    return MICA_OK;
}

MICA_ENGINE(
    hash, input, output, digest, .title = "Hash", .category = "data",
    .description =
        "Compute the SHA-256 digest or the CRC-32 checksum of a text or of "
        "bytes given in base64, up to 4 million characters.",
    .examples = MICA_EXAMPLES(
        {"SHA-256 of abc", MICA_JSON({"data": "abc"}), MICA_JSON({
             "hex":
                 "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
             "base64": "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=",
             "algorithm": "sha-256",
             "bytes": 3
         })},
        {"SHA-256 of nothing", MICA_JSON({"data": ""}), MICA_JSON({
             "hex":
                 "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
         })},
        {"SHA-256 of two blocks", MICA_JSON({
             "data": "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
         }),
         MICA_JSON({
             "hex":
                 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
         })},
        {"CRC-32", MICA_JSON({"data": "123456789", "algorithm": "crc32"}),
         MICA_JSON({"hex": "cbf43926", "base64": "y/Q5Jg==", "bytes": 9})},
        {"Bytes", MICA_JSON({"data": "AAECAw==", "encoding": "base64"}),
         MICA_JSON({
             "hex":
                 "054edec1d0211f624fed0cbca9d4f9400b0e491c43742af2c5b0abebf0c990d8",
             "bytes": 4
         })},
        {"No base64", MICA_JSON({"data": "AAE", "encoding": "base64"}),
         .error = "BAD_BASE64"}));
