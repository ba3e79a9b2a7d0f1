// SPDX-License-Identifier: Apache-2.0
//
// Validation of instances against a schema, in a loop.
//
//     bench-validate SCHEMA INSTANCES ROUNDS
//
// INSTANCES has a JSON text a line. Prints for each line its verdict (1 or 0)
// and the nanoseconds of the processor that one validation takes once the text
// has been read, the same with a report of the errors, and reading and
// validating together: the least over the rounds. With 0 rounds each line is
// read and validated once, and only the number of valid ones is printed.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <mica/schema.h>

enum {
    ROUND_NS = 2 * 1000 * 1000, // that one round should take
    FILE_BYTES = 64 << 20
};

enum mode {
    VALIDATE,
    REPORT,
    READ_TOO,
    MODES
};

struct bench {
    const struct mica_schema *schema;
    struct mica_text text;  // of one instance
    struct mica_json value; // read before
    struct mica_arena memory;
};

static double
nanoseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static struct mica_text
read_file(const char *pathz)
{
    FILE *file = fopen(pathz, "rb");
    char *bytes = malloc(FILE_BYTES);

    if (file == NULL || bytes == NULL) {
        perror(pathz);
        exit(1);
    }
    size_t len = fread(bytes, 1, FILE_BYTES, file);
    fclose(file);
    if (len == FILE_BYTES) {
        fprintf(stderr, "%s is too large\n", pathz);
        exit(1);
    }
    return (struct mica_text){bytes, len};
}

// Takes the next line off `rest`.
static struct mica_text
next_line(struct mica_text *rest)
{
    size_t len = 0;

    while (len < rest->len && rest->ptr[len] != '\n')
        len++;
    struct mica_text line = mica_text_slice(*rest, 0, len);
    *rest = mica_text_slice(*rest, len + 1, rest->len);
    return line;
}

static bool
run(struct bench *bench, enum mode mode)
{
    struct mica_schema_report report;
    struct mica_json read;
    const struct mica_json *value = &bench->value;

    mica_arena_reset(&bench->memory);
    if (mode == READ_TOO) {
        if (mica_json_read(&bench->memory, bench->text, NULL, NULL, &read) !=
            MICA_OK)
            exit(1);
        value = &read;
    }
    return mica_schema_validate(bench->schema, value, NULL, &bench->memory,
                                mode == REPORT ? &report : NULL) == MICA_OK;
}

// Nanoseconds of one run, over as many as fill a round.
static double
measure(struct bench *bench, enum mode mode, size_t *count)
{
    double started = nanoseconds();

    for (size_t i = 0; i < *count; i++)
        run(bench, mode);
    double each = (nanoseconds() - started) / (double)*count;
    *count = (size_t)(ROUND_NS / (each + 1)) + 1;
    return each;
}

static void
measure_line(struct bench *bench, long rounds)
{
    double least[MODES];
    size_t counts[MODES] = {10, 10, 10};

    printf("%d", run(bench, VALIDATE));
    for (int mode = 0; mode < MODES; mode++) {
        measure(bench, (enum mode)mode, &counts[mode]);
        least[mode] = measure(bench, (enum mode)mode, &counts[mode]);
    }
    for (; rounds > 0; rounds--) {
        for (int mode = 0; mode < MODES; mode++) {
            double each = measure(bench, (enum mode)mode, &counts[mode]);
            if (each < least[mode])
                least[mode] = each;
        }
    }
    for (int mode = 0; mode < MODES; mode++)
        printf(" %.1f", least[mode]);
    printf("\n");
}

int
main(int argc, char **argv)
{
    struct mica_arena arena;
    struct mica_error error;
    struct mica_schema *schema;
    struct bench bench;
    size_t valid = 0;

    if (argc != 4) {
        fprintf(stderr, "usage: %s SCHEMA INSTANCES ROUNDS\n", argv[0]);
        return 2;
    }
    mica_arena_init(&arena, (size_t)1 << 30);
    mica_arena_init(&bench.memory, (size_t)1 << 30);
    if (mica_schema_compile(&arena, read_file(argv[1]), NULL, &error,
                            &schema) != MICA_OK) {
        fprintf(stderr, "%s at %s\n", error.message, error.path);
        return 1;
    }
    bench.schema = schema;
    struct mica_text rest = read_file(argv[2]);
    long rounds = strtol(argv[3], NULL, 10);
    while (rest.len > 0) {
        bench.text = next_line(&rest);
        if (rounds == 0) {
            valid += run(&bench, READ_TOO);
            continue;
        }
        if (mica_json_read(&arena, bench.text, NULL, &error, &bench.value) !=
            MICA_OK) {
            fprintf(stderr, "%s\n", error.message);
            return 1;
        }
        measure_line(&bench, rounds);
    }
    if (rounds == 0)
        printf("%zu\n", valid);
    mica_arena_fini(&bench.memory);
    mica_arena_fini(&arena);
    return 0;
}
