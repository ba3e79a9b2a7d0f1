// SPDX-License-Identifier: Apache-2.0
//
// Names of secrets: passwords, keys, tokens, card numbers. No form may ask for one, as the
// client, its model and its logs see the answer (MCP: form mode must not ask for them).
// The rule compares whole words at the end of a name, as the last word says what the value
// is: `access_token` asks for a token, `token_type` does not.
#include <string.h>

#include "base/ascii.h"
#include "call/form_parts.h"

enum {
    WORDS = 16,
    WORD_SIZE = 32
};

// The words of a name in lower case. Long words are cut; of many words the first are
// dropped, as only the end counts.
struct words {
    char room[WORDS][WORD_SIZE];
    size_t count;
};

// A name of secrets; with `digits` also in a field that is a number.
static const struct {
    const char *namez; // words with _ between
    bool digits;
} secrets[] = {
    {"password", false},
    {"passwd", false},
    {"pwd", false},
    {"passphrase", false},
    {"passcode", true},
    {"secret", false},
    {"secrets", false},
    {"token", false},
    {"apikey", false},
    {"api_key", false},
    {"access_key", false},
    {"private_key", false},
    {"secret_key", false},
    {"signing_key", false},
    {"encryption_key", false},
    {"ssh_key", false},
    {"credential", false},
    {"credentials", false},
    {"pin", true},
    {"pin_number", true},
    {"card_number", true},
    {"credit_card", true},
    {"debit_card", true},
    {"cvv", true},
    {"cvc", true},
    {"security_code", true},
    {"otp", true},
    {"one_time_code", true},
    {"seed_phrase", false},
    {"recovery_phrase", false},
};

// Words after the name of a secret with which it still names a secret.
static const char *const tails[] = {
    "again", "confirmation", "confirm", "repeat", "repeated", "value", "text",
};

// ---- Words -----------------------------------------------------------------

static bool
is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool
is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static void
start_word(struct words *words)
{
    if (words->count > 0 && words->room[words->count - 1][0] == '\0')
        return;
    if (words->count == WORDS) {
        memmove(words->room[0], words->room[1],
                sizeof words->room[0] * (WORDS - 1));
        words->count--;
    }
    memset(words->room[words->count++], 0, WORD_SIZE);
}

static void
add_letter(struct words *words, char c)
{
    char *word = words->room[words->count - 1];
    size_t length = strlen(word);
    if (length < WORD_SIZE - 1)
        word[length] = mica_ascii_lower(c);
}

// "userPassword2" and "user_password_2" are user, password.
static void
words_split(const char *namez, struct words *words)
{
    char before = '\0';
    words->count = 0;
    start_word(words);
    for (; *namez != '\0'; before = *namez++) {
        if (is_upper(*namez) && is_lower(before))
            start_word(words);
        if (is_upper(*namez) || is_lower(*namez))
            add_letter(words, *namez);
        else
            start_word(words);
    }
    if (words->room[words->count - 1][0] == '\0')
        words->count--;
}

static bool
is_tail(const char *wordz)
{
    for (size_t i = 0; i < MICA_COUNT(tails); i++)
        if (strcmp(wordz, tails[i]) == 0)
            return true;
    return false;
}

static void
drop_tails(struct words *words)
{
    while (words->count > 1 && is_tail(words->room[words->count - 1]))
        words->count--;
}

// Whether the words end with those of `namez`.
static bool
ends_with(const struct words *words, const char *namez)
{
    struct words ends;
    words_split(namez, &ends);
    if (ends.count > words->count)
        return false;
    for (size_t i = 0; i < ends.count; i++)
        if (strcmp(words->room[words->count - ends.count + i], ends.room[i]) !=
            0)
            return false;
    return true;
}

const char *
mica_form_secret(const char *namez, bool digits)
{
    struct words words;
    words_split(namez, &words);
    drop_tails(&words);
    for (size_t i = 0; i < MICA_COUNT(secrets); i++)
        if ((secrets[i].digits || !digits) &&
            ends_with(&words, secrets[i].namez))
            return secrets[i].namez;
    return NULL;
}
