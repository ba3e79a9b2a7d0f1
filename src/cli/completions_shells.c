// SPDX-License-Identifier: Apache-2.0
//
// Three shells, three languages, one table.
#include <stdio.h>
#include <string.h>

#include "cli/command_completions.h"

// What the value of an option is, by its placeholder.
enum completed_value {
    COMPLETED_NOTHING, // no value, or one that only its user knows
    COMPLETED_FILE,
    COMPLETED_FOLDER,
    COMPLETED_CHOICES // "a|b|c": the placeholder
};

static enum completed_value
option_completes(const struct mica_option *option)
{
    const char *value = option->placeholder;

    if (value == NULL)
        return COMPLETED_NOTHING;
    if (strcmp(value, "DIR") == 0)
        return COMPLETED_FOLDER;
    if (strcmp(value, "FILE") == 0)
        return COMPLETED_FILE;
    return strchr(value, '|') != NULL && strpbrk(value, "[ ") == NULL
               ? COMPLETED_CHOICES
               : COMPLETED_NOTHING;
}

// Adds "a|b|c" with `between` instead of each bar.
static void
shell_choices(struct mica_buffer *out, const char *choicesz, char between)
{
    for (; *choicesz != '\0'; choicesz++)
        mica_buffer_char(out, *choicesz == '|' ? between : *choicesz);
}

// Text inside single quotes of sh and zsh; the characters of `more` get a
// backslash, too. fish reads this as well: it takes '\\'' the same way.
static void
shell_quoted(struct mica_buffer *out, const char *textz, const char *morez)
{
    for (; *textz != '\0'; textz++) {
        if (*textz == '\'') {
            mica_buffer_text(out, MICA_LITERAL("'\\''"));
            continue;
        }
        if (strchr(morez, *textz) != NULL)
            mica_buffer_char(out, '\\');
        mica_buffer_char(out, *textz);
    }
}

// The subcommands behind which a slug of an app stands, with `between` between them.
static void
slug_subcommands(struct mica_buffer *out, const struct mica_command *command,
                 const char *betweenz)
{
    const char *beforez = "";

    for (const struct mica_subcommand *one = command->subcommands;
         one != NULL && one->name != NULL; one++) {
        if (strncmp(one->usage, "SLUG", 4) != 0)
            continue;
        mica_buffer_format(out, "%s%s", beforez, one->name);
        beforez = betweenz;
    }
}

// Does the command have subcommands for apps or collections? Their slugs are [a-z0-9-] alone, so no shell
// expands what it is offered.
static bool
takes_slugs(const struct mica_command *command)
{
    for (const struct mica_subcommand *one = command->subcommands;
         one != NULL && one->name != NULL; one++)
        if (strncmp(one->usage, "SLUG", 4) == 0)
            return true;
    return false;
}

// ---- bash --------------------------------------------------------------------------

static void
bash_value(struct mica_buffer *out, const struct mica_command *command,
           const struct mica_option *option)
{
    enum completed_value kind = option_completes(option);

    if (option->kind != MICA_OPTION_VALUE && option->kind != MICA_OPTION_REPEAT)
        return;
    mica_buffer_format(out, "    %s:--%s) COMPREPLY=(", command->name,
                       option->name);
    if (kind == COMPLETED_CHOICES) {
        mica_buffer_text(out, MICA_LITERAL("$(compgen -W '"));
        shell_choices(out, option->placeholder, ' ');
        mica_buffer_text(out, MICA_LITERAL("' -- \"$word\")"));
    } else if (kind == COMPLETED_FOLDER) {
        mica_buffer_text(out, MICA_LITERAL("$(compgen -d -- \"$word\")"));
    } else if (kind == COMPLETED_FILE) {
        mica_buffer_text(out, MICA_LITERAL("$(compgen -f -- \"$word\")"));
    }
    mica_buffer_text(out, MICA_LITERAL("); return ;;\n"));
}

static void
bash_words(struct mica_buffer *out, const struct mica_command *const *commands,
           const struct mica_command *command)
{
    const char *words = command->words != NULL ? command->words : "";

    if (strcmp(words, MICA_WORDS_TOOLS) == 0 ||
        strcmp(words, MICA_WORDS_CALL) == 0) {
        mica_buffer_text(out, MICA_LITERAL("$(mica completions names "
                                           "2>/dev/null)"));
    } else if (strcmp(words, MICA_WORDS_COMMANDS) == 0) {
        for (size_t i = 0; commands[i] != NULL; i++)
            mica_buffer_format(out, "%s%s", i > 0 ? " " : "",
                               commands[i]->name);
    } else if (words[0] != '@') {
        shell_choices(out, words, ' ');
    }
}

static void
bash_command(struct mica_buffer *out,
             const struct mica_command *const *commands,
             const struct mica_command *command)
{
    const char *words = command->words != NULL ? command->words : "";
    bool files = strcmp(words, MICA_WORDS_FILES) == 0;
    bool fields = strcmp(words, MICA_WORDS_CALL) == 0;

    mica_buffer_format(out, "    %s) options='--help", command->name);
    for (const struct mica_option *option = command->options;
         option->name != NULL; option++)
        mica_buffer_format(out, " --%s", option->name);
    mica_buffer_text(out, MICA_LITERAL("'\n        words=\""));
    bash_words(out, commands, command);
    if (takes_slugs(command)) {
        mica_buffer_text(out, MICA_LITERAL("\"\n        case "
                                           "$COMP_CWORD:${COMP_WORDS[2]} in\n"
                                           "        2:*) ;;\n        3:"));
        slug_subcommands(out, command, "|3:");
        mica_buffer_format(out,
                           ")\n            words=\"$(mica %s list --slugs "
                           "2>/dev/null)\" ;;\n        *) words='' ;;\n"
                           "        esac ;;\n",
                           command->name);
        return;
    }
    mica_buffer_format(out, "\"%s%s ;;\n", files ? " files=1" : "",
                       fields ? " fields=1" : "");
}

// bash cuts words behind "=" and ":" and before "@", if COMP_WORDBREAKS has them, and puts
// what is offered in the place of the last piece. What a schema or a folder says is
// quoted, and never expanded as compgen -W would.
static const char bash_fields[] =
    "_mica_fields() {\n"
    "    local line=${COMP_LINE:0:COMP_POINT} last head offered\n"
    "    local breaks=${COMP_WORDBREAKS//[^=:]/}\n"
    "    local whole=${line##*[[:space:]]}\n"
    "    last=$whole\n"
    "    [ -z \"$breaks\" ] || last=${whole##*[$breaks]}\n"
    "    case $COMP_WORDBREAKS:$last in *@*:*@*) last=@${last##*@} ;; esac\n"
    "    head=${whole%\"$last\"}\n"
    "    case $whole in\n"
    "    *=@*)\n"
    "        while IFS= read -r offered; do\n"
    "            if [ -d \"$offered\" ]; then\n"
    "                offered=$offered/\n"
    "                compopt -o nospace 2>/dev/null\n"
    "            fi\n"
    "            offered=${whole%%=@*}=@$offered\n"
    "            printf -v offered %q \"${offered#\"$head\"}\"\n"
    "            COMPREPLY+=(\"$offered\")\n"
    "        done < <(compgen -f -- \"${whole#*=@}\")\n"
    "        return ;;\n"
    "    *=*) ;;\n"
    "    *) compopt -o nospace 2>/dev/null ;;\n"
    "    esac\n"
    "    while IFS= read -r offered; do\n"
    "        printf -v offered %q \"${offered#\"$head\"}\"\n"
    "        COMPREPLY+=(\"$offered\")\n"
    "    done < <(mica completions fields \"${COMP_WORDS[2]}\" \"$whole\" "
    "2>/dev/null)\n"
    "}\n";

void
mica_completions_bash(struct mica_buffer *out,
                      const struct mica_command *const *commands)
{
    mica_buffer_text(out, MICA_LITERAL("# bash completion for mica, written by "
                                       "\"mica completions bash\".\n"));
    mica_buffer_text(out, mica_text(bash_fields));
    mica_buffer_text(
        out, MICA_LITERAL("_mica() {\n"
                          "    local word=${COMP_WORDS[COMP_CWORD]} "
                          "command=${COMP_WORDS[1]}\n"
                          "    local before=${COMP_WORDS[COMP_CWORD-1]} "
                          "options='' words='' files='' fields=''\n"
                          "    COMPREPLY=()\n"
                          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                          "        COMPREPLY=($(compgen -W '"));
    for (size_t i = 0; commands[i] != NULL; i++)
        mica_buffer_format(out, "%s%s", i > 0 ? " " : "", commands[i]->name);
    mica_buffer_text(out, MICA_LITERAL("' -- \"$word\"))\n"
                                       "        return\n    fi\n"
                                       "    case $command:$before in\n"));
    for (size_t i = 0; commands[i] != NULL; i++)
        for (const struct mica_option *option = commands[i]->options;
             option->name != NULL; option++)
            bash_value(out, commands[i], option);
    mica_buffer_text(out, MICA_LITERAL("    esac\n    case $command in\n"));
    for (size_t i = 0; commands[i] != NULL; i++)
        bash_command(out, commands, commands[i]);
    mica_buffer_text(
        out, MICA_LITERAL(
                 "    esac\n"
                 "    if [ -n \"$fields\" ] && [ \"$COMP_CWORD\" -gt 2 ] && "
                 "[ \"$word\" = \"${word#-}\" ]; then\n"
                 "        _mica_fields; return\n    fi\n"
                 "    case $word in\n"
                 "    -*) COMPREPLY=($(compgen -W \"$options\" -- "
                 "\"$word\")) ;;\n"
                 "    *)  COMPREPLY=($(compgen -W \"$words\" -- "
                 "\"$word\"))\n"
                 "        [ -z \"$files\" ] || COMPREPLY+=($(compgen -f "
                 "-- \"$word\")) ;;\n"
                 "    esac\n"
                 "}\n"
                 "complete -F _mica mica\n"));
}

// ---- zsh ---------------------------------------------------------------------------

static void
zsh_option(struct mica_buffer *out, const struct mica_option *option)
{
    enum completed_value kind = option_completes(option);

    mica_buffer_format(out, " \\\n            '%s--%s[",
                       option->kind == MICA_OPTION_REPEAT ? "*" : "",
                       option->name);
    shell_quoted(out, option->help, "[]\\");
    mica_buffer_char(out, ']');
    if (option->kind == MICA_OPTION_VALUE ||
        option->kind == MICA_OPTION_REPEAT) {
        mica_buffer_char(out, ':');
        shell_quoted(out, option->placeholder, ":\\");
        mica_buffer_char(out, ':');
        if (kind == COMPLETED_CHOICES) {
            mica_buffer_char(out, '(');
            shell_choices(out, option->placeholder, ' ');
            mica_buffer_char(out, ')');
        } else if (kind == COMPLETED_FOLDER) {
            mica_buffer_text(out, MICA_LITERAL("_files -/"));
        } else if (kind == COMPLETED_FILE) {
            mica_buffer_text(out, MICA_LITERAL("_files"));
        }
    }
    mica_buffer_char(out, '\'');
}

// The slugs that may stand behind the subcommands of the command in $words[1].
static void
zsh_slugs(struct mica_buffer *out, const struct mica_command *const *commands)
{
    mica_buffer_text(out, MICA_LITERAL("_mica_slugs() {\n    local -a slugs\n"
                                       "    case $words[1]:$words[2] in\n"));
    for (size_t i = 0; commands[i] != NULL; i++) {
        char between[64];
        if (!takes_slugs(commands[i]))
            continue;
        (void)snprintf(between, sizeof between, "|%s:", commands[i]->name);
        mica_buffer_format(out, "    %s:", commands[i]->name);
        slug_subcommands(out, commands[i], between);
        mica_buffer_format(out,
                           ")\n        slugs=(${(f)\"$(mica %s list --slugs "
                           "2>/dev/null)\"})\n        compadd -a slugs ;;\n",
                           commands[i]->name);
    }
    mica_buffer_text(out, MICA_LITERAL("    esac\n}\n"));
}

static void
zsh_words(struct mica_buffer *out, const struct mica_command *command)
{
    const char *words = command->words;

    if (words == NULL)
        return;
    if (takes_slugs(command)) {
        mica_buffer_text(out, MICA_LITERAL(" \\\n            '1:word:("));
        shell_choices(out, words, ' ');
        mica_buffer_text(
            out, MICA_LITERAL(")' \\\n            '2:slug:_mica_slugs'"));
        return;
    }
    mica_buffer_text(out, MICA_LITERAL(" \\\n            '*:word:"));
    if (strcmp(words, MICA_WORDS_TOOLS) == 0)
        mica_buffer_text(out, MICA_LITERAL("_mica_tools"));
    else if (strcmp(words, MICA_WORDS_CALL) == 0)
        mica_buffer_text(out, MICA_LITERAL("_mica_call"));
    else if (strcmp(words, MICA_WORDS_FILES) == 0)
        mica_buffer_text(out, MICA_LITERAL("_files"));
    else if (strcmp(words, MICA_WORDS_COMMANDS) == 0)
        mica_buffer_text(out, MICA_LITERAL("_mica_commands"));
    else {
        mica_buffer_char(out, '(');
        shell_choices(out, words, ' ');
        mica_buffer_char(out, ')');
    }
    mica_buffer_char(out, '\'');
}

void
mica_completions_zsh(struct mica_buffer *out,
                     const struct mica_command *const *commands)
{
    mica_buffer_text(
        out, MICA_LITERAL("#compdef mica\n"
                          "# Written by \"mica completions zsh\".\n"
                          "_mica_tools() {\n"
                          "    local -a tools\n"
                          "    tools=(${(f)\"$(mica completions names "
                          "2>/dev/null)\"})\n"
                          "    compadd -a tools\n}\n"
                          "_mica_call() {\n"
                          "    local -a offered\n"
                          "    if (( CURRENT == 2 )); then\n"
                          "        _mica_tools; return\n    fi\n"
                          "    if compset -P '*=@'; then\n"
                          "        _files; return\n    fi\n"
                          "    offered=(${(f)\"$(mica completions fields "
                          "$words[2] ${(Q)PREFIX} 2>/dev/null)\"})\n"
                          "    if [[ $PREFIX == *=* ]]; then\n"
                          "        compadd -a offered\n    else\n"
                          "        compadd -S '' -a offered\n"
                          "    fi\n}\n"));
    zsh_slugs(out, commands);
    mica_buffer_text(out,
                     MICA_LITERAL("_mica_commands() {\n"
                                  "    local -a commands\n    commands=(\n"));
    for (size_t i = 0; commands[i] != NULL; i++) {
        mica_buffer_format(out, "        '%s:", commands[i]->name);
        shell_quoted(out, commands[i]->summary, "\\");
        mica_buffer_text(out, MICA_LITERAL("'\n"));
    }
    mica_buffer_text(
        out, MICA_LITERAL("    )\n    _describe command commands\n}\n"
                          "_mica() {\n"
                          "    if (( CURRENT == 2 )); then\n"
                          "        _mica_commands\n        return\n    fi\n"
                          "    shift words\n    (( CURRENT-- ))\n"
                          "    case $words[1] in\n"));
    for (size_t i = 0; commands[i] != NULL; i++) {
        const struct mica_command *command = commands[i];
        mica_buffer_format(out,
                           "    %s)\n        _arguments '--help[explain it]'",
                           command->name);
        for (const struct mica_option *option = command->options;
             option->name != NULL; option++)
            zsh_option(out, option);
        zsh_words(out, command);
        mica_buffer_text(out, MICA_LITERAL(" ;;\n"));
    }
    // Autoloaded it is the function's body; sourced it only defines.
    mica_buffer_text(out,
                     MICA_LITERAL("    esac\n}\n"
                                  "if [ \"$funcstack[1]\" = _mica ]; then\n"
                                  "    _mica \"$@\"\nelse\n"
                                  "    compdef _mica mica\nfi\n"));
}

// ---- fish --------------------------------------------------------------------------

static void
fish_line(struct mica_buffer *out, const struct mica_command *command,
          const char *rest)
{
    mica_buffer_format(out,
                       "complete -c mica -n '__fish_seen_subcommand_from %s' "
                       "%s",
                       command->name, rest);
}

static void
fish_option(struct mica_buffer *out, const struct mica_command *command,
            const struct mica_option *option)
{
    enum completed_value kind = option_completes(option);

    fish_line(out, command, "");
    mica_buffer_format(out, "-l %s", option->name);
    if (option->kind == MICA_OPTION_VALUE || option->kind == MICA_OPTION_REPEAT)
        mica_buffer_text(out, kind == COMPLETED_FILE ? MICA_LITERAL(" -r -F")
                                                     : MICA_LITERAL(" -x"));
    if (kind == COMPLETED_FOLDER)
        mica_buffer_text(out,
                         MICA_LITERAL(" -a '(__fish_complete_directories)'"));
    if (kind == COMPLETED_CHOICES) {
        mica_buffer_text(out, MICA_LITERAL(" -a '"));
        shell_choices(out, option->placeholder, ' ');
        mica_buffer_char(out, '\'');
    }
    mica_buffer_text(out, MICA_LITERAL(" -d '"));
    shell_quoted(out, option->help, "\\");
    mica_buffer_text(out, MICA_LITERAL("'\n"));
}

static void
fish_words(struct mica_buffer *out, const struct mica_command *const *commands,
           const struct mica_command *command)
{
    const char *words = command->words;

    if (words == NULL)
        return;
    if (strcmp(words, MICA_WORDS_FILES) == 0) {
        fish_line(out, command, "-F\n");
        return;
    }
    if (takes_slugs(command)) {
        mica_buffer_format(out,
                           "complete -c mica -n '__fish_seen_subcommand_from "
                           "%s; and test (count (commandline -opc)) -eq 2' "
                           "-a '",
                           command->name);
        shell_choices(out, words, ' ');
        mica_buffer_format(out,
                           "'\ncomplete -c mica -n "
                           "'__fish_seen_subcommand_from %s; and "
                           "__fish_seen_subcommand_from ",
                           command->name);
        slug_subcommands(out, command, " ");
        mica_buffer_format(out,
                           "; and test (count (commandline -opc)) -eq 3' "
                           "-a '(mica %s list --slugs 2>/dev/null)'\n",
                           command->name);
        return;
    }
    fish_line(out, command, "-a '");
    if (strcmp(words, MICA_WORDS_TOOLS) == 0)
        mica_buffer_text(out, MICA_LITERAL("(mica completions names "
                                           "2>/dev/null)"));
    else if (strcmp(words, MICA_WORDS_CALL) == 0)
        mica_buffer_text(out, MICA_LITERAL("(__mica_call)"));
    else if (strcmp(words, MICA_WORDS_COMMANDS) == 0)
        for (size_t i = 0; commands[i] != NULL; i++)
            mica_buffer_format(out, "%s%s", i > 0 ? " " : "",
                               commands[i]->name);
    else
        shell_choices(out, words, ' ');
    mica_buffer_text(out, MICA_LITERAL("'\n"));
}

// A tool, then its fields; behind "=@" the files.
static const char fish_call[] =
    "function __mica_call\n"
    "    set -l words (commandline -opc)\n"
    "    set -l word (commandline -ct)\n"
    "    if test (count $words) -lt 3\n"
    "        mica completions names 2>/dev/null\n"
    "    else if string match -q -- '*=@*' $word\n"
    "        set -l key (string replace -r -- '=@.*' '=@' $word)\n"
    "        for file in (string replace -r -- '^[^=]*=@' '' $word)*\n"
    "            echo $key$file\n"
    "        end\n"
    "    else\n"
    "        mica completions fields $words[3] $word 2>/dev/null\n"
    "    end\n"
    "end\n";

void
mica_completions_fish(struct mica_buffer *out,
                      const struct mica_command *const *commands)
{
    mica_buffer_text(out, MICA_LITERAL("# fish completion for mica, written by "
                                       "\"mica completions fish\".\n"
                                       "complete -c mica -f\n"));
    mica_buffer_text(out, mica_text(fish_call));
    for (size_t i = 0; commands[i] != NULL; i++) {
        mica_buffer_format(out,
                           "complete -c mica -n __fish_use_subcommand -a %s "
                           "-d '",
                           commands[i]->name);
        shell_quoted(out, commands[i]->summary, "\\");
        mica_buffer_text(out, MICA_LITERAL("'\n"));
    }
    for (size_t i = 0; commands[i] != NULL; i++) {
        const struct mica_command *command = commands[i];
        fish_words(out, commands, command);
        for (const struct mica_option *option = command->options;
             option->name != NULL; option++)
            fish_option(out, command, option);
    }
}
