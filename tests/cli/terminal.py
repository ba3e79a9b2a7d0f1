# SPDX-License-Identifier: Apache-2.0
"""What a program wrote to a terminal, and how wide that is."""

import fcntl
import os
import struct
import termios


def be_wide(terminal, columns, rows=24):
    """Gives a terminal a size; without one, programs take it to be 80 wide."""
    fcntl.ioctl(terminal, termios.TIOCSWINSZ,
                struct.pack("HHHH", rows, columns, 0, 0))


def read_to_end(master):
    """All of it, once the program has ended; closes this side."""
    text = b""
    try:
        while piece := os.read(master, 65536):
            text += piece
    except OSError:  # so ends a terminal of Linux
        pass
    os.close(master)
    return text
