// SPDX-License-Identifier: Apache-2.0
//
// An engine may call mica's author API and the part of libc that computes from
// its arguments alone; everything else is refused by name, with the way an
// engine does it. A variable that keeps its value is refused as well: each call
// gets a fresh instance, so it would not do what its author expects.
#include "build/purity.h"

#include <string.h>

#include "build/module_form.h"
#include "build/word_reader.h"

enum {
    LARGEST_PAGES = 1024
}; // 64 MiB

static const char allowed[] =
    // string.h
    "memcpy memmove memset memcmp memchr strlen strcmp strncmp strchr strrchr "
    "strstr strspn strcspn strnlen "
    // stdlib.h
    "abs labs llabs "
    // math.h, double
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf "
    "erfc exp exp2 expm1 fabs fdim floor fma fmax fmin fmod frexp hypot ilogb "
    "ldexp llrint llround log log10 log1p log2 logb lrint lround modf nan "
    "nearbyint nextafter pow remainder remquo rint round scalbln scalbn sin "
    "sincos sinh sqrt tan tanh tgamma trunc __fpclassify __signbit "
    // What clang writes for wide integers and their conversions
    "__multi3 __udivti3 __umodti3 __divti3 __modti3 __udivmodti4 __ashlti3 "
    "__ashrti3 __lshrti3 __muloti4 __mulodi4 __fixdfti __fixunsdfti "
    "__floattidf __floatuntidf __popcountti2 __clzti2 __ctzti2 "
    // What the linker makes
    "__stack_pointer __indirect_function_table __linear_memory";

// What to do instead, by name.
static const struct {
    const char *names;
    const char *advice;
} advice[] = {
    {"rand srand rand_r random srandom initstate setstate drand48 erand48 "
     "lrand48 nrand48 mrand48 jrand48 srand48 seed48 lcong48 arc4random "
     "arc4random_buf arc4random_uniform getentropy getrandom",
     "randomness has to come in: take a \"seed\" field, say in its description "
     "that it sets the randomness, and compute the numbers from it"},
    {"time clock clock_gettime clock_getres gettimeofday localtime localtime_r "
     "gmtime gmtime_r mktime timegm strftime strptime asctime ctime difftime "
     "nanosleep sleep usleep tzset _CLOCK_REALTIME _CLOCK_MONOTONIC",
     "an engine has no clock and no time zone: take the moment as a field "
     "(MICA_DATE or MICA_DATE_TIME) and compute with mica_date_to_days and "
     "mica_time_to_seconds"},
    {"printf iprintf __small_printf fprintf fiprintf __small_fprintf vprintf "
     "vfprintf puts fputs putchar fputc putc putchar_unlocked fwrite write "
     "perror stdout stderr",
     "an engine cannot print: put what you have to say into fields of the "
     "output"},
    {"malloc calloc realloc free reallocarray aligned_alloc posix_memalign "
     "memalign strdup strndup sbrk",
     "use mica_alloc or MICA_NEW: their memory is zeroed, bounded, and goes "
     "away with the call"},
    {"qsort qsort_r bsearch lfind lsearch tsearch hcreate hsearch",
     "use mica_sort, which keeps the order of equal items everywhere; search "
     "with a loop"},
    {"sprintf snprintf siprintf sniprintf __small_sprintf __small_snprintf "
     "vsprintf vsnprintf asprintf vasprintf",
     "use mica_format for text, and mica_number or mica_fixed for numbers in "
     "it: they print the same everywhere"},
    {"strtod strtof strtold atof atoi atol atoll strtol strtoul strtoll "
     "strtoull sscanf vsscanf scanf",
     "use mica_number_read or mica_integer_read; or declare the field as "
     "MICA_NUMBER or MICA_INTEGER and get it converted"},
    {"strtok strtok_r strsep",
     "walk the text with a loop, mica_text_next or mica_text_slice"},
    {"strcpy strncpy strcat strncat stpcpy stpncpy strlcpy strlcat",
     "build text with mica_format or mica_builder, which know how much room "
     "there is"},
    {"isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct "
     "isspace isupper isxdigit tolower toupper isascii strcasecmp strncasecmp "
     "strcoll strxfrm setlocale localeconv towlower towupper iswalpha",
     "it depends on the locale: compare with characters, as in c >= '0' && c "
     "<= '9'"},
    {"getenv secure_getenv setenv putenv environ __environ",
     "an engine has no environment: take the setting as a field of the input"},
    {"fopen fdopen freopen open openat read fread fgets fgetc getc getline "
     "fclose close fseek stat fstat lstat opendir readdir remove rename unlink "
     "mkdir stdin getchar",
     "an engine has no files: take the text or the table as a field of the "
     "input, or put it into the source as a const array"},
    {"socket connect accept bind listen send sendto recv recvfrom getaddrinfo "
     "gethostbyname poll select",
     "an engine has no network: take what it would fetch as a field of the "
     "input"},
    {"errno __errno_location strerror strerror_r",
     "check the arguments before the call; mica's functions return what went "
     "wrong"},
    {"setjmp longjmp _setjmp sigsetjmp siglongjmp",
     "return a status instead; MICA_TRY passes it up"},
    {"abort exit _Exit _exit __assert_fail atexit quick_exit raise signal",
     "for wrong input write return mica_fail(call, …); for what cannot happen "
     "write MICA_UNREACHABLE"},
    {"lgamma lgamma_r signgam __signgam j0 j1 jn y0 y1 yn gamma",
     "it keeps its sign in a global variable or differs between libraries: "
     "write out the series you need, or use tgamma and log"},
    {"system popen fork execve getpid pthread_create kill",
     "an engine has no processes or threads"},
};

static bool
ends_with(struct mica_text text, const char *endz)
{
    size_t len = strlen(endz);
    return text.len >= len && memcmp(text.ptr + text.len - len, endz, len) == 0;
}

// The runtime's helpers for long double: __addtf3, __extenddftf2, __trunctfdf2.
static bool
is_long_double(struct mica_text name)
{
    if (!mica_text_starts(name, "__"))
        return false;
    for (size_t i = 2; i + 1 < name.len; i++)
        if (name.ptr[i] == 't' && name.ptr[i + 1] == 'f')
            return true;
    return false;
}

static const char *
listed_advice(struct mica_text name)
{
    for (size_t i = 0; i < MICA_COUNT(advice); i++)
        if (mica_word_is_listed(advice[i].names, name))
            return advice[i].advice;
    return NULL;
}

const char *
mica_purity_advice(struct mica_text name)
{
    const char *listed = listed_advice(name);

    if (listed != NULL)
        return listed;
    if (is_long_double(name))
        return "it comes from long double, which differs from machine to "
               "machine: use double";
    if ((ends_with(name, "f") || ends_with(name, "l")) &&
        mica_word_is_listed(allowed, mica_text_slice(name, 0, name.len - 1)))
        return "use the function of that name for double";
    return NULL;
}

unsigned
mica_purity_line(struct mica_text source, struct mica_text name)
{
    char exact[65];
    unsigned line;

    if (name.len >= sizeof exact)
        return 0;
    memcpy(exact, name.ptr, name.len);
    exact[name.len] = '\0';
    line = mica_word_line(source, exact);
    // Compilers call another function of the family, as puts for printf.
    for (size_t i = 0; line == 0 && i < MICA_COUNT(advice); i++)
        if (mica_word_is_listed(advice[i].names, name))
            line = mica_word_line(source, advice[i].names);
    return line;
}

static const char *
advice_for(struct mica_text name)
{
    const char *special = mica_purity_advice(name);
    if (special != NULL)
        return special;
    return "an engine may call what <mica/engine.h> declares, the functions of "
           "<math.h> for double, and from <string.h> the mem…, strlen, strcmp, "
           "strncmp, strchr, strrchr, strstr, strspn and strcspn; write the "
           "rest in the engine itself";
}

// ---- The object --------------------------------------------------------------------

struct findings {
    const char *source;
    struct mica_text text; // of the source, or empty
    struct mica_buffer *diagnostics;
    struct mica_error *error;
    size_t count;
};

// One finding, at a line unless that is 0: the first becomes the error, the others
// are lines for people.
static void findings_found(struct findings *findings, unsigned line,
                           const char *formatz, ...) MICA_PRINTF(3, 4);

static void
findings_found(struct findings *findings, unsigned line, const char *formatz,
               ...)
{
    struct mica_error found = {0};
    va_list arguments;

    va_start(arguments, formatz);
    (void)mica_error_vset(&found, MICA_E_IMPURE,
                          mica_status_code(MICA_E_IMPURE), "", formatz,
                          arguments);
    va_end(arguments);
    if (line > 0)
        mica_error_prefix(&found, "%s:%u", findings->source, line);
    else
        mica_error_prefix(&found, "%s", findings->source);
    if (findings->count++ == 0)
        *findings->error = found;
    else
        mica_buffer_format(findings->diagnostics, "%s\n", found.message);
}

static bool
may_call(struct mica_text name)
{
    return mica_text_starts(name, "mica_") ||
           mica_word_is_listed(allowed, name);
}

// clang names a static variable "function.variable", and a constant that has no
// name of its own "__const.function.variable" or ".L…".
static void
found_variable(struct findings *findings, struct mica_text name)
{
    char shown[65], shown_function[65];
    struct mica_text function = name;
    const char *dot = name.len > 0 ? memchr(name.ptr, '.', name.len) : NULL;
    const char *advice_text =
        "keeps its value, but every call of an engine starts fresh and would "
        "never see it: make it const, or a variable of the function";
    size_t at = dot == NULL ? 0 : (size_t)(dot - name.ptr);
    if (at == 0) {
        findings_found(findings, 0, "the variable \"%.*s\" %s",
                       MICA_ARG(mica_form_shown(name, shown)), advice_text);
        return;
    }
    function.len = at;
    struct mica_text variable = mica_text_slice(name, at + 1, name.len);
    findings_found(findings, 0, "the variable \"static %.*s\" in %.*s() %s",
                   MICA_ARG(mica_form_shown(variable, shown)),
                   MICA_ARG(mica_form_shown(function, shown_function)),
                   advice_text);
}

static bool
is_constant(const struct mica_wasm *object, uint32_t segment)
{
    return segment < object->segment_count &&
           mica_text_starts(object->segments[segment], ".rodata");
}

static void
check_segments(const struct mica_wasm *object, struct findings *findings)
{
    char shown[65];
    for (size_t i = 0; i < object->symbol_count; i++) {
        const struct mica_wasm_symbol *symbol = &object->symbols[i];
        if (symbol->is_data && !symbol->undefined &&
            !is_constant(object, symbol->segment))
            found_variable(findings, symbol->name);
    }
    for (uint32_t i = 0; i < object->segment_count && findings->count == 0; i++)
        if (!is_constant(object, i))
            findings_found(
                findings, 0,
                "it has a data section \"%.*s\"; an engine has constants only",
                MICA_ARG(mica_form_shown(object->segments[i], shown)));
}

// A name in C, or one that clang makes of such names ("function.variable").
static bool
is_identifier(struct mica_text name)
{
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter && (c < '0' || c > '9') && c != '_' && c != '.' &&
            c != '$' && c < 0x80)
            return false;
    }
    return true;
}

// What its author gave to something by an attribute, or by an asm label.
static void
check_names(const struct mica_wasm *object, struct findings *findings)
{
    char shown[65];
    for (size_t i = 0; i < object->symbol_count; i++) {
        const struct mica_wasm_symbol *symbol = &object->symbols[i];
        struct mica_text name = mica_form_shown(symbol->name, shown);
        if (symbol->exported)
            findings_found(findings, 0,
                           "\"%.*s\" is exported; an engine exports mica's own "
                           "functions and nothing else: remove export_name",
                           MICA_ARG(name));
        else if (symbol->import.len > 0)
            findings_found(
                findings, 0,
                "it imports %.*s by a name of its own; an engine imports "
                "nothing: remove import_name and import_module",
                MICA_ARG(mica_form_shown(symbol->import, shown)));
        else if (!is_identifier(symbol->name))
            findings_found(
                findings, 0,
                "the symbol \"%.*s\" is no name in C: remove what gives it "
                "that name",
                MICA_ARG(name));
    }
}

static void
check_sections(const struct mica_wasm *object, struct findings *findings)
{
    char shown[65];
    if (object->constructor_count > 0)
        findings_found(
            findings, 0,
            "it has a constructor; an engine runs when it is called and at "
            "no other time: call that function from the handler");
    if (object->foreign_section.len > 0)
        findings_found(
            findings, 0,
            "it has a section \"%.*s\"; an engine has code and constants, "
            "in the places that the compiler gives them: remove the "
            "attribute section",
            MICA_ARG(mica_form_shown(object->foreign_section, shown)));
    if (object->foreign_module.len > 0)
        findings_found(
            findings, 0,
            "it imports %.*s; an engine imports nothing: remove "
            "import_module",
            MICA_ARG(mica_form_shown(object->foreign_module, shown)));
}

enum mica_status
mica_purity_object(const struct mica_wasm *object, const char *source,
                   struct mica_text text, struct mica_buffer *diagnostics,
                   struct mica_error *error)
{
    struct findings findings = {source, text, diagnostics, error, 0};
    char shown[65];
    for (size_t i = 0; i < object->symbol_count; i++) {
        const struct mica_wasm_symbol *symbol = &object->symbols[i];
        if (symbol->undefined && !may_call(symbol->name))
            findings_found(&findings, mica_purity_line(text, symbol->name),
                           "an engine cannot use %.*s: %s",
                           MICA_ARG(mica_form_shown(symbol->name, shown)),
                           advice_for(symbol->name));
    }
    check_segments(object, &findings);
    check_names(object, &findings);
    check_sections(object, &findings);
    return findings.count == 0 ? MICA_OK : MICA_E_IMPURE;
}

// ---- The source ----------------------------------------------------------------------

// Whether the source declares that function itself: a type stands before its name
// somewhere, or #define.
static bool
is_own(struct mica_text source, struct mica_text name)
{
    static const char others[] = "return else do case";
    struct mica_word_reader reader = {.text = source, .line = 1};
    struct mica_text word, before = {"", 0};

    for (; mica_word_next(&reader, &word); before = word) {
        const char *end = before.ptr + before.len;
        if (!mica_text_equal(word, name) || before.len == 0 ||
            mica_word_is_listed(others, before) ||
            !mica_word_is_call(&reader, word))
            continue;
        while (end < word.ptr && (*end == ' ' || *end == '\n' || *end == '*'))
            end++;
        if (end == word.ptr)
            return true;
    }
    return false;
}

enum mica_status
mica_purity_source(struct mica_text text, const char *source,
                   struct mica_buffer *diagnostics, struct mica_error *error)
{
    struct findings findings = {source, text, diagnostics, error, 0};
    struct mica_word_reader reader = {.text = text, .line = 1};
    struct mica_text word;

    while (mica_word_next(&reader, &word)) {
        const char *instead = listed_advice(word);
        if (instead != NULL && mica_word_is_call(&reader, word) &&
            !is_own(text, word))
            findings_found(&findings, reader.line,
                           "an engine cannot use %.*s: %s", MICA_ARG(word),
                           instead);
    }
    return findings.count == 0 ? MICA_OK : MICA_E_IMPURE;
}

// ---- The module ----------------------------------------------------------------------

enum mica_status
mica_purity_module(const struct mica_wasm *module, struct mica_error *error)
{
    if (module->import_count > 0)
        return mica_error_set(error, MICA_E_IMPURE, "",
                              "The module imports %.*s; an engine imports "
                              "nothing, so that it cannot reach outside.",
                              MICA_ARG(module->imports[0]));
    if (module->memory_pages > LARGEST_PAGES)
        return mica_error_set(error, MICA_E_BUILD, "",
                              "The module wants %u KiB of memory from the "
                              "start; an engine may have %d.",
                              module->memory_pages * 64, LARGEST_PAGES * 64);
    return MICA_OK;
}
