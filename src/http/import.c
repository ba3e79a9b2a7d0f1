// SPDX-License-Identifier: Apache-2.0
//
// ELF: a library calls its imports through a table of addresses (the global offset
// table), which the loader has filled in. The relocations name the symbol of each entry.
// The table is read-only by then (RELRO), so its page is made writable for one store.
#include "http/import.h"

#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct import {
    const char *libraryz, *namez;
    mica_import *function;
    bool replaced;
};

// Tables of the dynamic section of a library.
struct tables {
    const ElfW(Sym) * symbols;
    const char *names;
    const ElfW(Rela) * calls, *others; // relocations
    size_t call_bytes, other_bytes;
    bool has_addends;
};

// musl leaves the addresses as in the file; glibc has added the base.
static const void *
address_of(const struct dl_phdr_info *info, ElfW(Addr) address)
{
    return (const void *)(uintptr_t)(address < info->dlpi_addr
                                         ? info->dlpi_addr + address
                                         : address);
}

static void
read_tables(const struct dl_phdr_info *info, const ElfW(Dyn) * entry,
            struct tables *tables)
{
    for (; entry->d_tag != DT_NULL; entry++) {
        const void *address = address_of(info, entry->d_un.d_ptr);
        if (entry->d_tag == DT_SYMTAB)
            tables->symbols = address;
        else if (entry->d_tag == DT_STRTAB)
            tables->names = address;
        else if (entry->d_tag == DT_JMPREL)
            tables->calls = address;
        else if (entry->d_tag == DT_RELA)
            tables->others = address;
        else if (entry->d_tag == DT_PLTRELSZ)
            tables->call_bytes = entry->d_un.d_val;
        else if (entry->d_tag == DT_RELASZ)
            tables->other_bytes = entry->d_un.d_val;
        else if (entry->d_tag == DT_PLTREL)
            tables->has_addends = entry->d_un.d_val == DT_RELA;
    }
}

// Other threads may call the import meanwhile; they reach the old or the new function.
static bool
import_store(const struct dl_phdr_info *info, ElfW(Addr) offset,
             mica_import *function)
{
    uintptr_t slot = info->dlpi_addr + offset;
    uintptr_t page = slot & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
    size_t size = slot + sizeof slot - page;

    if (mprotect((void *)page, size, PROT_READ | PROT_WRITE) != 0)
        return false;
    atomic_store((_Atomic(uintptr_t) *)slot, (uintptr_t)function);
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_GNU_RELRO && offset >= part->p_vaddr &&
            offset < part->p_vaddr + part->p_memsz)
            (void)mprotect((void *)page, size, PROT_READ);
    }
    return true;
}

static void
import_replace(const struct dl_phdr_info *info, const struct tables *tables,
               const ElfW(Rela) * entries, size_t bytes, struct import *import)
{
    for (size_t i = 0; entries != NULL && i < bytes / sizeof *entries; i++) {
        size_t symbol = (size_t)(entries[i].r_info >> 32);
        if (symbol != 0 && entries[i].r_addend == 0 &&
            strcmp(tables->names + tables->symbols[symbol].st_name,
                   import->namez) == 0 &&
            import_store(info, entries[i].r_offset, import->function))
            import->replaced = true;
    }
}

static int
import_visit(struct dl_phdr_info *info, size_t size, void *data)
{
    struct import *import = data;
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *name = slash != NULL ? slash + 1 : info->dlpi_name;
    struct tables tables;

    (void)size;
    if (strncmp(name, import->libraryz, strlen(import->libraryz)) != 0)
        return 0;
    memset(&tables, 0, sizeof tables);
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            read_tables(info,
                        (const void *)(uintptr_t)(info->dlpi_addr +
                                                  info->dlpi_phdr[i].p_vaddr),
                        &tables);
    }
    if (tables.symbols == NULL || tables.names == NULL || !tables.has_addends)
        return 0;
    import_replace(info, &tables, tables.calls, tables.call_bytes, import);
    import_replace(info, &tables, tables.others, tables.other_bytes, import);
    return 0;
}

bool
mica_import_replace(const char *libraryz, const char *namez,
                    mica_import *function)
{
    struct import import = {
        .libraryz = libraryz, .namez = namez, .function = function};

    if (sizeof(ElfW(Addr)) == 8) // the layout of r_info
        (void)dl_iterate_phdr(import_visit, &import);
    return import.replaced;
}
