// SPDX-License-Identifier: Apache-2.0
//
// Arenas and buffers: alignment, caps, sticky overflow, reuse.
#include <string.h>

#include "base/poison.h"
#include "unit.h"

START_TEST(allocations_are_aligned_and_apart)
{
    struct mica_arena arena;
    char *pieces[200];
    mica_arena_init(&arena, 1 << 20);
    for (size_t i = 0; i < MICA_COUNT(pieces); i++) {
        pieces[i] = mica_arena_alloc(&arena, i);
        ck_assert_ptr_nonnull(pieces[i]);
        ck_assert_uint_eq((uintptr_t)pieces[i] % 16, 0);
        memset(pieces[i], (int)i, i);
    }
    for (size_t i = 0; i < MICA_COUNT(pieces); i++)
        for (size_t k = 0; k < i; k++)
            ck_assert_int_eq((unsigned char)pieces[i][k], (int)i);
    mica_arena_fini(&arena);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(a_zeroed_arena_can_be_ended_and_has_no_room)
{
    struct mica_arena arena;
    memset(&arena, 0, sizeof arena);
    ck_assert_ptr_null(mica_arena_alloc(&arena, 1));
    ck_assert(arena.overflow);
    mica_arena_reset(&arena);
    ck_assert(!arena.overflow);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(the_cap_holds_and_overflow_stays)
{
    struct mica_arena arena;
    mica_arena_init(&arena, 100000);
    size_t got = 0;
    while (mica_arena_alloc(&arena, 1000) != NULL)
        got += 1000;
    ck_assert(arena.overflow);
    ck_assert_uint_le(arena.used, 100000);
    // Most of what is allowed can be had.
    ck_assert_uint_ge(got, 90000);
    ck_assert_ptr_null(mica_arena_alloc(&arena, 1));
    ck_assert_ptr_null(mica_arena_zero(&arena, 1, 1));
    ck_assert_ptr_null(mica_arena_text(&arena, MICA_LITERAL("x")).ptr);
    mica_arena_reset(&arena);
    ck_assert_ptr_nonnull(mica_arena_alloc(&arena, 1));
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(one_large_piece_may_take_the_whole_cap)
{
    struct mica_arena arena;
    mica_arena_init(&arena, 1 << 20);
    ck_assert_ptr_nonnull(mica_arena_alloc(&arena, (1 << 20) - 64));
    ck_assert_ptr_null(mica_arena_alloc(&arena, 100));
    mica_arena_reset(&arena);
    ck_assert_ptr_null(mica_arena_alloc(&arena, 1 << 20));
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(absurd_sizes_overflow_and_do_not_wrap)
{
    static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 15, SIZE_MAX - 16,
                                   SIZE_MAX / 2 + 1, SIZE_MAX / 2};
    for (size_t i = 0; i < MICA_COUNT(sizes); i++) {
        struct mica_arena arena;
        mica_arena_init(&arena, SIZE_MAX / 2);
        ck_assert_ptr_null(mica_arena_alloc(&arena, sizes[i]));
        ck_assert(arena.overflow);
        mica_arena_fini(&arena);
    }
    struct mica_arena arena;
    mica_arena_init(&arena, 1 << 20);
    ck_assert_ptr_null(mica_arena_zero(&arena, SIZE_MAX / 2, 4));
    ck_assert(arena.overflow);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(a_reset_arena_keeps_its_oldest_block)
{
    struct mica_arena arena;
    mica_arena_init(&arena, 1 << 20);
    void *first = mica_arena_alloc(&arena, 10);
    size_t used = arena.used;
    ck_assert_ptr_nonnull(mica_arena_alloc(&arena, 50000));
    ck_assert_uint_gt(arena.used, used);
    for (int i = 0; i < 3; i++) {
        mica_arena_reset(&arena);
        ck_assert_uint_eq(arena.used, used);
        ck_assert_ptr_eq(mica_arena_alloc(&arena, 10), first);
    }
    mica_arena_fini(&arena);
    ck_assert_uint_eq(arena.used, 0);
}
END_TEST

START_TEST(zeroed_memory_is_zero_even_when_used_before)
{
    struct mica_arena arena;
    mica_arena_init(&arena, 1 << 16);
    memset(mica_arena_alloc(&arena, 1000), 0xFF, 1000);
    mica_arena_reset(&arena);
    const char *zeros = mica_arena_zero(&arena, 100, 10);
    for (size_t i = 0; i < 1000; i++)
        ck_assert_int_eq(zeros[i], 0);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(text_copies_end_with_nul_and_may_hold_nul)
{
    struct mica_arena arena;
    mica_arena_init(&arena, 1 << 16);
    struct mica_text copy = mica_arena_text(&arena, MICA_LITERAL("a\0b"));
    ck_assert_uint_eq(copy.len, 3);
    ck_assert_mem_eq(copy.ptr, "a\0b", 4);
    copy = mica_arena_text(&arena, (struct mica_text){NULL, 0});
    ck_assert_uint_eq(copy.len, 0);
    ck_assert_str_eq(copy.ptr, "");
    mica_arena_fini(&arena);
}
END_TEST

#ifdef MICA_POISON
#    define POISON_TESTS memory_of_a_reset_arena_is_poisoned,

START_TEST(memory_of_a_reset_arena_is_poisoned)
{
    struct mica_arena arena;
    mica_arena_init(&arena, 1 << 16);
    char *memory = mica_arena_alloc(&arena, 100);
    ck_assert(!__asan_address_is_poisoned(memory));
    ck_assert(__asan_address_is_poisoned(memory + 112));
    mica_arena_reset(&arena);
    ck_assert(__asan_address_is_poisoned(memory));
    mica_arena_fini(&arena);
}
END_TEST
#else
#    define POISON_TESTS memory_that_the_system_does_not_have_is_an_overflow,
#endif

#ifndef MICA_POISON
// AddressSanitizer's malloc stops the program where this one gives NULL.
START_TEST(memory_that_the_system_does_not_have_is_an_overflow)
{
    struct mica_arena arena;
    mica_arena_init(&arena, SIZE_MAX);
    ck_assert_ptr_null(mica_arena_alloc(&arena, (size_t)1 << 60));
    ck_assert(arena.overflow);
    mica_arena_fini(&arena);
    struct mica_buffer buffer;
    mica_buffer_init(&buffer, NULL, SIZE_MAX);
    mica_buffer_char(&buffer, 'x');
    ck_assert_ptr_null(mica_buffer_reserve(&buffer, (size_t)1 << 60));
    ck_assert(buffer.overflow);
    UNIT_TEXT_EQ(mica_buffer_as_text(&buffer), "x");
    mica_buffer_fini(&buffer);
}
END_TEST
#endif

// ---- Buffers -----------------------------------------------------------------

static void
fill(struct mica_buffer *buffer, size_t count)
{
    for (size_t i = 0; i < count; i++)
        mica_buffer_char(buffer, (char)('a' + i % 26));
}

START_TEST(a_buffer_grows_up_to_its_maximum)
{
    struct mica_arena arena;
    mica_arena_init(&arena, 1 << 20);
    for (int on_heap = 0; on_heap < 2; on_heap++) {
        struct mica_buffer buffer;
        mica_buffer_init(&buffer, on_heap ? NULL : &arena, 10000);
        fill(&buffer, 10000);
        ck_assert(!buffer.overflow);
        ck_assert_uint_eq(buffer.len, 10000);
        ck_assert_uint_le(buffer.capacity, 10000);
        for (size_t i = 0; i < 10000; i++)
            ck_assert_int_eq(buffer.ptr[i], (char)('a' + i % 26));
        mica_buffer_char(&buffer, 'x');
        ck_assert(buffer.overflow);
        ck_assert_uint_eq(buffer.len, 10000);
        mica_buffer_fini(&buffer);
        mica_buffer_fini(&buffer);
    }
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(what_does_not_fit_is_dropped_whole_and_so_is_all_after)
{
    struct mica_buffer buffer;
    mica_buffer_init(&buffer, NULL, 8);
    mica_buffer_text(&buffer, MICA_LITERAL("12345"));
    mica_buffer_text(&buffer, MICA_LITERAL("6789"));
    ck_assert(buffer.overflow);
    mica_buffer_text(&buffer, MICA_LITERAL("6"));
    mica_buffer_char(&buffer, '6');
    mica_buffer_format(&buffer, "%d", 6);
    ck_assert_ptr_null(mica_buffer_reserve(&buffer, 1));
    UNIT_TEXT_EQ(mica_buffer_as_text(&buffer), "12345");
    mica_buffer_fini(&buffer);
}
END_TEST

START_TEST(a_format_that_does_not_fit_leaves_nothing)
{
    struct mica_buffer buffer;
    mica_buffer_init(&buffer, NULL, 8);
    mica_buffer_text(&buffer, MICA_LITERAL("12"));
    mica_buffer_format(&buffer, "%s and %s", "ab", "cd");
    ck_assert(buffer.overflow);
    UNIT_TEXT_EQ(mica_buffer_as_text(&buffer), "12");
    mica_buffer_fini(&buffer);
}
END_TEST

START_TEST(a_buffer_fills_its_maximum_to_the_last_byte)
{
    struct mica_buffer buffer;
    mica_buffer_init(&buffer, NULL, 8);
    mica_buffer_text(&buffer, MICA_LITERAL("12345678"));
    ck_assert(!buffer.overflow);
    mica_buffer_add(&buffer, NULL, 0);
    ck_assert(!buffer.overflow);
    mica_buffer_fini(&buffer);
    mica_buffer_init(&buffer, NULL, 0);
    mica_buffer_char(&buffer, 'x');
    ck_assert(buffer.overflow);
    mica_buffer_fini(&buffer);
}
END_TEST

START_TEST(a_full_arena_overflows_its_buffers)
{
    struct mica_arena arena;
    struct mica_buffer buffer;
    mica_arena_init(&arena, 4096);
    mica_buffer_init(&buffer, &arena, 1 << 20);
    fill(&buffer, 1 << 16);
    ck_assert(buffer.overflow);
    ck_assert_uint_gt(buffer.len, 0);
    ck_assert_uint_lt(buffer.len, 4096);
    for (size_t i = 0; i < buffer.len; i++)
        ck_assert_int_eq(buffer.ptr[i], (char)('a' + i % 26));
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(two_buffers_in_one_arena_do_not_mix)
{
    struct mica_arena arena;
    struct mica_buffer a, b;
    mica_arena_init(&arena, 1 << 20);
    mica_buffer_init(&a, &arena, 1 << 16);
    mica_buffer_init(&b, &arena, 1 << 16);
    for (int i = 0; i < 5000; i++) {
        mica_buffer_char(&a, 'a');
        mica_buffer_char(&b, 'b');
    }
    ck_assert_uint_eq(a.len, 5000);
    for (size_t i = 0; i < 5000; i++)
        ck_assert(a.ptr[i] == 'a' && b.ptr[i] == 'b');
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(reserved_room_counts_only_what_is_added)
{
    struct mica_buffer buffer;
    mica_buffer_init(&buffer, NULL, 100);
    char *room = mica_buffer_reserve(&buffer, 50);
    ck_assert_ptr_nonnull(room);
    memcpy(room, "abc", 3);
    buffer.len += 3;
    UNIT_TEXT_EQ(mica_buffer_as_text(&buffer), "abc");
    // Room that is there is given again.
    size_t capacity = buffer.capacity;
    for (int i = 0; i < 10; i++)
        ck_assert_ptr_eq(mica_buffer_reserve(&buffer, 47), room + 3);
    ck_assert_uint_eq(buffer.capacity, capacity);
    ck_assert_ptr_null(mica_buffer_reserve(&buffer, SIZE_MAX));
    ck_assert(buffer.overflow);
    mica_buffer_fini(&buffer);
}
END_TEST

UNIT_MAIN("base_arena", allocations_are_aligned_and_apart,
          a_zeroed_arena_can_be_ended_and_has_no_room,
          the_cap_holds_and_overflow_stays,
          one_large_piece_may_take_the_whole_cap,
          absurd_sizes_overflow_and_do_not_wrap,
          a_reset_arena_keeps_its_oldest_block,
          zeroed_memory_is_zero_even_when_used_before,
          text_copies_end_with_nul_and_may_hold_nul,
          POISON_TESTS a_buffer_grows_up_to_its_maximum,
          what_does_not_fit_is_dropped_whole_and_so_is_all_after,
          a_format_that_does_not_fit_leaves_nothing,
          a_buffer_fills_its_maximum_to_the_last_byte,
          a_full_arena_overflows_its_buffers,
          two_buffers_in_one_arena_do_not_mix,
          reserved_room_counts_only_what_is_added)
