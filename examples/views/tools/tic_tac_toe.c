// SPDX-License-Identifier: Apache-2.0
//
// Tic-tac-toe: judges a board, and plays O if asked. The view tic_tac_toe.html has the
// board, and tools of its own (make_move, get_board_state, reset_game) by which a model
// plays; react/tic_tac_toe.jsx is the same view with React.
#include <string.h>

#include <mica/tool.h>

enum {
    SQUARES = 9
};

struct request {
    struct mica_text board;
    bool reply;
};
MICA_RECORD(request,
            MICA_TEXT(board,
                      "The nine squares, row by row: X, O, or - for an empty "
                      "one. X begins.",
                      .fallback = MICA_JSON("---------"),
                      .pattern = "^[XO-]{9}$"),
            MICA_BOOLEAN(reply, "Play O, if it is O's turn.",
                         .fallback = MICA_JSON(false)));

enum winner {
    PLAYING,
    X_WINS,
    O_WINS,
    DRAW
};
MICA_CHOICES(winner, [PLAYING] = "none", [X_WINS] = "X", [O_WINS] = "O",
             [DRAW] = "draw");

struct game {
    struct mica_text board, next;
    enum winner winner;
};
MICA_RECORD(game, MICA_TEXT(board, "The nine squares, as in the input."),
            MICA_TEXT(next, "Whose turn it is: X or O, or nothing at the end."),
            MICA_CHOICE(winner, winner, "Who has won."));

static enum winner
judge(const char *board)
{
    static const unsigned char lines[][3] = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8},
                                             {0, 3, 6}, {1, 4, 7}, {2, 5, 8},
                                             {0, 4, 8}, {2, 4, 6}};

    for (size_t i = 0; i < MICA_COUNT(lines); i++) {
        char mark = board[lines[i][0]];
        if (mark != '-' && mark == board[lines[i][1]] &&
            mark == board[lines[i][2]])
            return mark == 'X' ? X_WINS : O_WINS;
    }
    return memchr(board, '-', SQUARES) != NULL ? PLAYING : DRAW;
}

// What the board is worth for O, to whom `mark` is now due: 1, 0 or -1.
static int
worth(char *board, char mark)
{
    enum winner winner = judge(board);
    int best = mark == 'O' ? -1 : 1;

    if (winner != PLAYING)
        return winner == O_WINS ? 1 : winner == X_WINS ? -1 : 0;
    for (size_t i = 0; i < SQUARES; i++) {
        if (board[i] != '-')
            continue;
        board[i] = mark;
        int value = worth(board, mark == 'O' ? 'X' : 'O');
        board[i] = '-';
        if (mark == 'O' ? value > best : value < best)
            best = value;
    }
    return best;
}

// Plays the best square for O, the first of equal ones.
static void
play(char *board)
{
    size_t at = 0;
    int best = -2;

    for (size_t i = 0; i < SQUARES; i++) {
        if (board[i] != '-')
            continue;
        board[i] = 'O';
        int value = worth(board, 'X');
        board[i] = '-';
        if (value > best) {
            best = value;
            at = i;
        }
    }
    board[at] = 'O';
}

static enum mica_status
run(struct mica_call *call, const struct request *in, struct game *out)
{
    char *board = MICA_NEW(call, char, SQUARES);
    int more = 0; // X than O

    memcpy(board, in->board.ptr, SQUARES);
    for (size_t i = 0; i < SQUARES; i++)
        more += board[i] == 'X' ? 1 : board[i] == 'O' ? -1 : 0;
    if (more < 0 || more > 1)
        return mica_fail(call, "IMPOSSIBLE_BOARD", "board",
                         "X begins, so there are as many X as O or one more; "
                         "\"%.*s\" has %s.",
                         MICA_ARG(in->board),
                         more < 0 ? "more O" : "too many X");
    if (in->reply && more == 1 && judge(board) == PLAYING) {
        play(board);
        more = 0;
    }
    out->board = (struct mica_text){board, SQUARES};
    out->winner = judge(board);
    if (out->winner == PLAYING)
        out->next = mica_text(more == 1 ? "O" : "X");
    return MICA_OK;
}

MICA_VIEW(tic_tac_toe, .file = "tic_tac_toe.html", .title = "Tic-tac-toe",
          .description = "The board, on which a person and a model play.",
          .border = MICA_BORDERED);

MICA_TOOL(tic_tac_toe, request, game, run, .title = "Tic-tac-toe",
          .description = "Show a board of tic-tac-toe and say who has won; "
                         "with reply, play O.",
          .hints = MICA_READ_ONLY | MICA_IDEMPOTENT,
          .view = &mica_view_tic_tac_toe);
