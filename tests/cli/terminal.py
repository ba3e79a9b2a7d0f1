# SPDX-License-Identifier: Apache-2.0
"""What a program wrote to a terminal."""

import os


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
