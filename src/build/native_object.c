// SPDX-License-Identifier: Apache-2.0
//
// Both readers are bounded: whatever is outside of the file is refused. Of an object
// the sections and symbols are read, of a shared object what the loader reads: the
// segments, the dynamic section, the relocations and the symbols in those.
#include "build/native_object.h"

#include <elf.h>
#include <string.h>

#include "build/module_form.h"

enum {
    HOST_DATA =
        __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB,
    TYPE_ADDRESSES_USED = 0x6FFF4C03, // clang's .llvm_addrsig
    TAG_RELR_SIZE = 35,               // newer than some headers
    TAG_RELR = 36,
    TAG_RELR_ENTRY = 37,
    SEGMENT_PROPERTY = 0x6474E553,
    SEGMENT_ATTRIBUTES = 0x70000003, // of RISC-V
    PAGE_LEAST = 4096
};

// A file of which parts are copied.
struct elf_file {
    struct mica_text bytes;
    const char *identifier;
    struct mica_error *error;
    Elf64_Ehdr header;
};

static enum mica_status
elf_file_damaged(const struct elf_file *file)
{
    return mica_error_set(file->error, MICA_E_BUILD, "",
                          "The translation is no ELF file of this machine with "
                          "64 bits, or it is damaged.");
}

static bool
elf_read(const struct elf_file *file, uint64_t at, void *out, size_t size)
{
    if (at > file->bytes.len || size > file->bytes.len - at)
        return false;
    memcpy(out, file->bytes.ptr + at, size);
    return true;
}

static bool
elf_header(struct elf_file *file, unsigned type)
{
    return elf_read(file, 0, &file->header, sizeof file->header) &&
           memcmp(file->header.e_ident, ELFMAG, SELFMAG) == 0 &&
           file->header.e_ident[EI_CLASS] == ELFCLASS64 &&
           file->header.e_ident[EI_DATA] == HOST_DATA &&
           file->header.e_type == type;
}

// The text at `at` in the table of texts from `from` to `end`.
static bool
elf_text(const struct elf_file *file, uint64_t from, uint64_t size, uint64_t at,
         struct mica_text *text_out)
{
    if (from > file->bytes.len || size > file->bytes.len - from || at >= size)
        return false;
    const char *text = file->bytes.ptr + from + at;
    const char *end = memchr(text, '\0', size - at);
    if (end == NULL)
        return false;
    *text_out = (struct mica_text){text, (size_t)(end - text)};
    return true;
}

// ---- Names -------------------------------------------------------------------------

// What compilers and wasm2c call for arithmetic and for copies, with the checked
// forms that some systems make of them.
static bool
may_refer_to(struct mica_text name)
{
    static const char *const functions[] = {"memcpy",
                                            "memmove",
                                            "memset",
                                            "memcmp",
                                            "__memcpy_chk",
                                            "__memmove_chk",
                                            "__memset_chk",
                                            "__stack_chk_fail",
                                            "__stack_chk_guard",
                                            "floor",
                                            "floorf",
                                            "ceil",
                                            "ceilf",
                                            "trunc",
                                            "truncf",
                                            "nearbyint",
                                            "nearbyintf",
                                            "rint",
                                            "rintf",
                                            "sqrt",
                                            "sqrtf",
                                            "fabs",
                                            "fabsf",
                                            "copysign",
                                            "copysignf",
                                            "fmin",
                                            "fminf",
                                            "fmax",
                                            "fmaxf",
                                            "__popcountdi2",
                                            "__popcountsi2",
                                            "__clzdi2",
                                            "__clzsi2",
                                            "__ctzdi2",
                                            "__ctzsi2",
                                            "__bswapdi2",
                                            "__bswapsi2",
                                            "_GLOBAL_OFFSET_TABLE_",
                                            ".TOC."};
    for (size_t i = 0; i < MICA_COUNT(functions); i++)
        if (mica_text_is(name, functions[i]))
            return true;
    return false;
}

static bool
name_continues(struct mica_text name, const char *startz,
               const char *identifierz, struct mica_text *rest_out)
{
    size_t start = strlen(startz), len = strlen(identifierz);
    if (!mica_text_starts(name, startz) || name.len < start + len ||
        memcmp(name.ptr + start, identifierz, len) != 0)
        return false;
    *rest_out = mica_text_slice(name, start + len, name.len);
    return true;
}

// wasm2c's names of the module, and the tables of mica.
static bool
may_define(const struct elf_file *file, struct mica_text name)
{
    static const char *const tables[] = {"mica_code_", "mica_translated_",
                                         "mica_files_"};
    static const char *const ends[] = {"Z_memory",
                                       "Z_mica_module_input",
                                       "Z_mica_module_run",
                                       "Z_mica_module_exchange",
                                       "Z_mica_module_parse",
                                       "Z___wasm_call_ctors",
                                       "_init_module",
                                       "_instantiate",
                                       "_free"};
    struct mica_text rest;
    for (size_t i = 0; i < MICA_COUNT(tables); i++)
        if (name_continues(name, tables[i], file->identifier, &rest))
            return rest.len == 0;
    if (!name_continues(name, "Z_", file->identifier, &rest))
        return false;
    for (size_t i = 0; i < MICA_COUNT(ends); i++)
        if (mica_text_is(rest, ends[i]))
            return true;
    return false;
}

static enum mica_status
refuse_symbol(const struct elf_file *file, struct mica_text name,
              const char *whatz)
{
    char shown[65];
    return mica_error_set(file->error, MICA_E_IMPURE, "",
                          "The translation of the engine %s \"%.*s\", which no "
                          "translation does. It is not kept.",
                          whatz, MICA_ARG(mica_form_shown(name, shown)));
}

// ---- An object ---------------------------------------------------------------------

// "name" or "name.…"
static bool
is_part(struct mica_text name, const char *wholez)
{
    size_t len = strlen(wholez);
    return mica_text_starts(name, wholez) &&
           (name.len == len || name.ptr[len] == '.');
}

static bool
is_known_section(struct mica_text name, uint32_t type)
{
    static const char *const contents[] = {".text",     ".data", ".rodata",
                                           ".eh_frame", ".note", ".comment",
                                           ".mica_web"};
    static const char *const others[] = {
        ".symtab",       ".strtab",           ".shstrtab",      ".symtab_shndx",
        ".llvm_addrsig", ".riscv.attributes", ".ARM.attributes"};
    if (type == SHT_RELA && mica_text_starts(name, ".rela."))
        name = mica_text_slice(name, 5, name.len);
    else if (type == SHT_RELA || type == SHT_REL)
        return false;
    if (type == SHT_NOBITS)
        return is_part(name, ".bss");
    for (size_t i = 0; i < MICA_COUNT(contents); i++)
        if (is_part(name, contents[i]))
            return true;
    for (size_t i = 0; i < MICA_COUNT(others); i++)
        if (mica_text_is(name, others[i]))
            return true;
    return type == SHT_NULL && name.len == 0;
}

static bool
is_known_type(uint32_t type)
{
    static const uint32_t types[] = {
        SHT_NULL,   SHT_PROGBITS,
        SHT_SYMTAB, SHT_STRTAB,
        SHT_RELA,   SHT_NOTE,
        SHT_NOBITS, SHT_SYMTAB_SHNDX,
        0x70000001, /* unwinding, x86 */ TYPE_ADDRESSES_USED,
        0x70000003};
    for (size_t i = 0; i < MICA_COUNT(types); i++)
        if (type == types[i])
            return true;
    return false;
}

static enum mica_status
check_section(const struct elf_file *file, const Elf64_Shdr *section,
              struct mica_text name)
{
    bool runs = (section->sh_flags & SHF_EXECINSTR) != 0;
    bool writes = (section->sh_flags & SHF_WRITE) != 0;
    if (!is_known_type(section->sh_type) ||
        !is_known_section(name, section->sh_type) ||
        (section->sh_flags & (SHF_TLS | SHF_GROUP)) != 0 ||
        (runs && (writes || !is_part(name, ".text"))))
        return refuse_symbol(file, name, "has a section");
    return MICA_OK;
}

static enum mica_status
check_symbol(const struct elf_file *file, const Elf64_Sym *symbol,
             struct mica_text name)
{
    unsigned type = ELF64_ST_TYPE(symbol->st_info);
    unsigned bind = ELF64_ST_BIND(symbol->st_info);
    if (type == STT_GNU_IFUNC || type == STT_TLS || type == STT_COMMON)
        return refuse_symbol(file, name, "has a resolver or a variable");
    if (symbol->st_shndx == SHN_UNDEF && name.len > 0 && !may_refer_to(name))
        return refuse_symbol(file, name, "refers to");
    if (symbol->st_shndx != SHN_UNDEF && bind != STB_LOCAL &&
        (bind != STB_GLOBAL || symbol->st_shndx == SHN_COMMON ||
         !may_define(file, name)))
        return refuse_symbol(file, name, "defines");
    return MICA_OK;
}

static bool
section_at(const struct elf_file *file, unsigned index, Elf64_Shdr *out)
{
    return index < file->header.e_shnum &&
           elf_read(file, file->header.e_shoff + (uint64_t)index * sizeof *out,
                    out, sizeof *out);
}

static enum mica_status
check_symbols(const struct elf_file *file, const Elf64_Shdr *table)
{
    Elf64_Shdr names;
    if (table->sh_entsize != sizeof(Elf64_Sym) ||
        !section_at(file, table->sh_link, &names))
        return elf_file_damaged(file);
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table->sh_size;
         at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        struct mica_text name;
        if (table->sh_offset > file->bytes.len ||
            !elf_read(file, table->sh_offset + at, &symbol, sizeof symbol) ||
            !elf_text(file, names.sh_offset, names.sh_size, symbol.st_name,
                      &name))
            return elf_file_damaged(file);
        MICA_TRY(check_symbol(file, &symbol, name));
    }
    return MICA_OK;
}

enum mica_status
mica_native_object(struct mica_text bytes, const char *identifier,
                   struct mica_error *error)
{
    struct elf_file file = {
        .bytes = bytes, .identifier = identifier, .error = error};
    Elf64_Shdr names, section;
    size_t tables = 0;
    if (!elf_header(&file, ET_REL) ||
        file.header.e_shentsize != sizeof section ||
        file.header.e_shoff > bytes.len ||
        !section_at(&file, file.header.e_shstrndx, &names))
        return elf_file_damaged(&file);
    for (unsigned i = 0; i < file.header.e_shnum; i++) {
        struct mica_text name;
        if (!section_at(&file, i, &section) ||
            !elf_text(&file, names.sh_offset, names.sh_size, section.sh_name,
                      &name))
            return elf_file_damaged(&file);
        MICA_TRY(check_section(&file, &section, name));
        if (section.sh_type != SHT_SYMTAB)
            continue;
        tables++;
        MICA_TRY(check_symbols(&file, &section));
    }
    return tables == 1 ? MICA_OK : elf_file_damaged(&file);
}

// ---- A shared object ---------------------------------------------------------------

// What the dynamic section says.
struct dynamic {
    uint64_t texts, texts_size, symbols;
    uint64_t relocations, relocations_size, jumps, jumps_size;
    uint64_t packed, packed_size; // relocations without a symbol, DT_RELR
};

static bool
segment_at(const struct elf_file *file, unsigned index, Elf64_Phdr *out)
{
    return elf_read(file, file->header.e_phoff + (uint64_t)index * sizeof *out,
                    out, sizeof *out);
}

// Whether so many bytes from an address on lie in this segment, of which `whole`
// counts the bytes that the file has not, too.
static bool
is_in_segment(const Elf64_Phdr *segment, uint64_t address, uint64_t size,
              bool whole)
{
    uint64_t has = whole ? segment->p_memsz : segment->p_filesz;
    return segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
           address - segment->p_vaddr <= has &&
           size <= has - (address - segment->p_vaddr);
}

// Where the bytes that the loader sees at an address lie in the file.
static bool
elf_offset(const struct elf_file *file, uint64_t address, uint64_t size,
           uint64_t *offset_out)
{
    *offset_out = 0;
    for (unsigned i = 0; i < file->header.e_phnum; i++) {
        Elf64_Phdr segment;
        if (!segment_at(file, i, &segment))
            return false;
        if (is_in_segment(&segment, address, size, false)) {
            *offset_out = address - segment.p_vaddr + segment.p_offset;
            return true;
        }
    }
    return false;
}

// Whether the loader may put an address there: into what the object itself may
// write, and nowhere else in the process.
static bool
is_writable(const struct elf_file *file, uint64_t address)
{
    for (unsigned i = 0; i < file->header.e_phnum; i++) {
        Elf64_Phdr segment;
        if (segment_at(file, i, &segment) && (segment.p_flags & PF_W) != 0 &&
            is_in_segment(&segment, address, sizeof(uint64_t), true))
            return true;
    }
    return false;
}

static bool
is_known_tag(int64_t tag)
{
    static const int64_t tags[] = {
        DT_NULL,     DT_NEEDED,     DT_HASH,   DT_GNU_HASH, DT_STRTAB,
        DT_SYMTAB,   DT_STRSZ,      DT_SYMENT, DT_SYMBOLIC, DT_PLTGOT,
        DT_PLTRELSZ, DT_PLTREL,     DT_JMPREL, DT_RELA,     DT_RELASZ,
        DT_RELAENT,  DT_RELACOUNT,  DT_FLAGS,  DT_FLAGS_1,  DT_BIND_NOW,
        DT_VERNEED,  DT_VERNEEDNUM, DT_VERSYM};
    for (size_t i = 0; i < MICA_COUNT(tags); i++)
        if (tag == tags[i])
            return true;
    // The machine's own, as a table of what its code is made for.
    return (tag >= DT_LOPROC && tag < DT_AUXILIARY) || tag == TAG_RELR_ENTRY;
}

static bool
keep_tag(struct dynamic *dynamic, const Elf64_Dyn *entry)
{
    switch (entry->d_tag) {
    case DT_STRTAB:
        dynamic->texts = entry->d_un.d_ptr;
        return true;
    case DT_STRSZ:
        dynamic->texts_size = entry->d_un.d_val;
        return true;
    case DT_SYMTAB:
        dynamic->symbols = entry->d_un.d_ptr;
        return true;
    case DT_RELA:
        dynamic->relocations = entry->d_un.d_ptr;
        return true;
    case DT_RELASZ:
        dynamic->relocations_size = entry->d_un.d_val;
        return true;
    case DT_JMPREL:
        dynamic->jumps = entry->d_un.d_ptr;
        return true;
    case DT_PLTRELSZ:
        dynamic->jumps_size = entry->d_un.d_val;
        return true;
    case TAG_RELR:
        dynamic->packed = entry->d_un.d_ptr;
        return true;
    case TAG_RELR_SIZE:
        dynamic->packed_size = entry->d_un.d_val;
        return true;
    case DT_PLTREL:
        return entry->d_un.d_val == DT_RELA;
    case DT_FLAGS: // neither text that is written nor storage of threads
        return (entry->d_un.d_val & (DF_TEXTREL | DF_STATIC_TLS)) == 0;
    default:
        return is_known_tag(entry->d_tag);
    }
}

static enum mica_status
read_dynamic(const struct elf_file *file, const Elf64_Phdr *segment,
             struct dynamic *dynamic)
{
    for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= segment->p_filesz;
         at += sizeof(Elf64_Dyn)) {
        Elf64_Dyn entry;
        if (segment->p_offset > file->bytes.len ||
            !elf_read(file, segment->p_offset + at, &entry, sizeof entry))
            return elf_file_damaged(file);
        if (!keep_tag(dynamic, &entry))
            return mica_error_set(
                file->error, MICA_E_IMPURE, "",
                "The translation of the engine has the entry 0x%llx for the "
                "loader, which would run or load something. It is not kept.",
                (unsigned long long)entry.d_tag);
        if (entry.d_tag == DT_NULL)
            return MICA_OK;
    }
    return elf_file_damaged(file);
}

// Its libraries: the C library and its mathematics.
static enum mica_status
check_needed(const struct elf_file *file, const Elf64_Phdr *segment,
             const struct dynamic *dynamic)
{
    uint64_t texts;
    if (!elf_offset(file, dynamic->texts, dynamic->texts_size, &texts))
        return elf_file_damaged(file);
    for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= segment->p_filesz;
         at += sizeof(Elf64_Dyn)) {
        Elf64_Dyn entry;
        struct mica_text name;
        if (!elf_read(file, segment->p_offset + at, &entry, sizeof entry) ||
            entry.d_tag == DT_NULL)
            break;
        if (entry.d_tag != DT_NEEDED)
            continue;
        if (!elf_text(file, texts, dynamic->texts_size, entry.d_un.d_val,
                      &name))
            return elf_file_damaged(file);
        if ((!mica_text_starts(name, "libc.") &&
             !mica_text_starts(name, "libm.") &&
             !mica_text_starts(name, "libgcc_s.so.") &&
             !mica_text_starts(name, "ld-linux-")) ||
            memchr(name.ptr, '/', name.len) != NULL)
            return refuse_symbol(file, name, "loads");
    }
    return MICA_OK;
}

// Whether a relocation puts an address somewhere, and nothing more. Of machines
// whose numbers are not here the object was looked at all the same.
static bool
is_plain(unsigned machine, uint32_t type)
{
    static const struct {
        unsigned machine;
        uint32_t types[5];
    } plain[] = {{EM_X86_64,
                  {R_X86_64_NONE, R_X86_64_64, R_X86_64_GLOB_DAT,
                   R_X86_64_JUMP_SLOT, R_X86_64_RELATIVE}},
                 {EM_AARCH64,
                  {R_AARCH64_NONE, R_AARCH64_ABS64, R_AARCH64_GLOB_DAT,
                   R_AARCH64_JUMP_SLOT, R_AARCH64_RELATIVE}},
                 {EM_RISCV,
                  {R_RISCV_NONE, R_RISCV_64, R_RISCV_64, R_RISCV_JUMP_SLOT,
                   R_RISCV_RELATIVE}}};
    for (size_t i = 0; i < MICA_COUNT(plain); i++) {
        if (plain[i].machine != machine)
            continue;
        for (size_t j = 0; j < MICA_COUNT(plain[i].types); j++)
            if (plain[i].types[j] == type)
                return true;
        return false;
    }
    return true;
}

static enum mica_status
elf_file_outside(const struct elf_file *file, uint64_t address)
{
    return mica_error_set(file->error, MICA_E_IMPURE, "",
                          "The translation of the engine has a relocation at "
                          "0x%llx, outside of its own data. It is not kept.",
                          (unsigned long long)address);
}

static enum mica_status
check_relocation(const struct elf_file *file, const struct dynamic *dynamic,
                 const Elf64_Rela *relocation)
{
    uint64_t index = ELF64_R_SYM(relocation->r_info), symbols, texts;
    uint32_t type = (uint32_t)ELF64_R_TYPE(relocation->r_info);
    Elf64_Sym symbol;
    struct mica_text name;
    if (!is_plain(file->header.e_machine, type))
        return mica_error_set(
            file->error, MICA_E_IMPURE, "",
            "The translation of the engine has a relocation of type %u, which "
            "may call something when it is loaded. It is not kept.",
            type);
    if (type != 0 && !is_writable(file, relocation->r_offset))
        return elf_file_outside(file, relocation->r_offset);
    if (index == 0)
        return MICA_OK;
    if (!elf_offset(file, dynamic->symbols + index * sizeof symbol,
                    sizeof symbol, &symbols) ||
        !elf_offset(file, dynamic->texts, dynamic->texts_size, &texts) ||
        !elf_read(file, symbols, &symbol, sizeof symbol) ||
        !elf_text(file, texts, dynamic->texts_size, symbol.st_name, &name))
        return elf_file_damaged(file);
    if (ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC ||
        (symbol.st_shndx == SHN_UNDEF && !may_refer_to(name)))
        return refuse_symbol(file, name, "refers to");
    return MICA_OK;
}

static enum mica_status
check_relocations(const struct elf_file *file, const struct dynamic *dynamic,
                  uint64_t address, uint64_t size)
{
    uint64_t offset;
    if (size == 0)
        return MICA_OK;
    if (!elf_offset(file, address, size, &offset))
        return elf_file_damaged(file);
    for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= size;
         at += sizeof(Elf64_Rela)) {
        Elf64_Rela relocation;
        if (!elf_read(file, offset + at, &relocation, sizeof relocation))
            return elf_file_damaged(file);
        MICA_TRY(check_relocation(file, dynamic, &relocation));
    }
    return MICA_OK;
}

// An even entry is a place; an odd one has a bit for each of the 63 words behind
// the last place.
static enum mica_status
check_packed(const struct elf_file *file, const struct dynamic *dynamic)
{
    uint64_t offset, place = 0;
    if (dynamic->packed_size == 0)
        return MICA_OK;
    if (!elf_offset(file, dynamic->packed, dynamic->packed_size, &offset))
        return elf_file_damaged(file);
    for (uint64_t at = 0; at + sizeof(uint64_t) <= dynamic->packed_size;
         at += sizeof(uint64_t)) {
        uint64_t entry;
        if (!elf_read(file, offset + at, &entry, sizeof entry))
            return elf_file_damaged(file);
        if ((entry & 1) == 0) {
            if (!is_writable(file, entry))
                return elf_file_outside(file, entry);
            place = entry + sizeof entry;
            continue;
        }
        for (unsigned bit = 1; bit < 64; bit++) {
            uint64_t word = place + (bit - 1) * sizeof entry;
            if ((entry >> bit & 1) != 0 && !is_writable(file, word))
                return elf_file_outside(file, word);
        }
        place += 63 * sizeof entry;
    }
    return MICA_OK;
}

// ---- Its segments ------------------------------------------------------------------

static bool
is_known_segment(uint32_t type)
{
    static const uint32_t types[] = {
        PT_NULL,          PT_LOAD,           PT_DYNAMIC,   PT_NOTE,
        PT_PHDR,          PT_GNU_EH_FRAME,   PT_GNU_STACK, PT_GNU_RELRO,
        SEGMENT_PROPERTY, SEGMENT_ATTRIBUTES};
    for (size_t i = 0; i < MICA_COUNT(types); i++)
        if (type == types[i])
            return true;
    return false;
}

// A part that is loaded lies in the file, and behind the pages of the one before
// it (which end at `*end`): what is read here is what the loader sees.
static enum mica_status
check_load(const struct elf_file *file, const Elf64_Phdr *segment,
           uint64_t *end)
{
    uint64_t page =
        segment->p_align > PAGE_LEAST ? segment->p_align : PAGE_LEAST;
    uint64_t last = segment->p_vaddr + segment->p_memsz;
    if ((page & (page - 1)) != 0 || page > (uint64_t)1 << 30 ||
        segment->p_filesz > segment->p_memsz || last < segment->p_vaddr ||
        last > UINT64_MAX - page || segment->p_offset > file->bytes.len ||
        segment->p_filesz > file->bytes.len - segment->p_offset ||
        (segment->p_vaddr & (page - 1)) != (segment->p_offset & (page - 1)) ||
        (segment->p_vaddr & ~(page - 1)) < *end)
        return elf_file_damaged(file);
    *end = (last + page - 1) & ~(page - 1);
    return MICA_OK;
}

static enum mica_status
check_segment(const struct elf_file *file, const Elf64_Phdr *segment)
{
    bool runs = (segment->p_flags & PF_X) != 0;
    bool writes = (segment->p_flags & PF_W) != 0;
    if (!is_known_segment(segment->p_type) ||
        (segment->p_type == PT_LOAD && runs && writes) ||
        (segment->p_type == PT_GNU_STACK && runs))
        return mica_error_set(
            file->error, MICA_E_IMPURE, "",
            "The translation of the engine has a segment of type 0x%x that can "
            "be written and run, or does not belong to a library. It is not kept.",
            segment->p_type);
    return MICA_OK;
}

// Finds the one for the loader, which looks for it by its address.
static enum mica_status
check_segments(const struct elf_file *file, Elf64_Phdr *loader_out)
{
    uint64_t end = 0, offset;
    unsigned stacks = 0, loaders = 0;
    for (unsigned i = 0; i < file->header.e_phnum; i++) {
        Elf64_Phdr segment;
        if (!segment_at(file, i, &segment))
            return elf_file_damaged(file);
        MICA_TRY(check_segment(file, &segment));
        if (segment.p_type == PT_LOAD)
            MICA_TRY(check_load(file, &segment, &end));
        stacks += segment.p_type == PT_GNU_STACK; // without one it may be run
        if (segment.p_type != PT_DYNAMIC)
            continue;
        loaders++;
        *loader_out = segment;
    }
    if (stacks != 1 || loaders != 1 ||
        !elf_offset(file, loader_out->p_vaddr, loader_out->p_filesz, &offset) ||
        offset != loader_out->p_offset)
        return elf_file_damaged(file);
    return MICA_OK;
}

enum mica_status
mica_native_shared(struct mica_text bytes, struct mica_error *error)
{
    struct elf_file file = {.bytes = bytes, .error = error};
    struct dynamic dynamic = {0};
    Elf64_Phdr loader = {.p_type = PT_NULL};
    if (!elf_header(&file, ET_DYN) || file.header.e_phoff > bytes.len ||
        file.header.e_phentsize != sizeof loader)
        return elf_file_damaged(&file);
    MICA_TRY(check_segments(&file, &loader));
    MICA_TRY(read_dynamic(&file, &loader, &dynamic));
    MICA_TRY(check_needed(&file, &loader, &dynamic));
    MICA_TRY(check_relocations(&file, &dynamic, dynamic.relocations,
                               dynamic.relocations_size));
    MICA_TRY(check_packed(&file, &dynamic));
    return check_relocations(&file, &dynamic, dynamic.jumps,
                             dynamic.jumps_size);
}
