# SPDX-License-Identifier: GPL-3.0-or-later
# Prints the lines of sources whose names, or whose comments, have private words for terms of the field: sharded, not cut;
# full, global or replicated, not whole; shard or partial value, not piece; after, not behind; peak, not fullest; origin,
# not stem. Names say what a value is (declared, specified, stated), not that it was written, given or said.
# What ordinary English means stays: see `ordinary`.
BEGIN {
    lower = "whole|given|said|looked|fullest|pieces?|puzzle|stem|cuts?|uncut|behind|written|wide"
    upper = "Whole|Given|Said|Looked|Fullest|Pieces?|Puzzle|Cuts?|Uncut|Behind|Written|Wide"
    begins = "(^|[^A-Za-z0-9_])(m_)?(" lower "|" upper ")([A-Z][A-Za-z0-9]*)?([^A-Za-z0-9_]|$)"
    inside = "[A-Za-z0-9_](" upper ")([A-Z0-9]|[^a-z]|$)"
    # Whole numbers; what was written to a file; what is painted behind; the stem of an arrow.
    ordinary = "[wW]holeNumber|bytesWritten|sheetsBehind|[^A-Za-z_]written[^A-Za-z_]|[^A-Za-z_]stem[^A-Za-z_]"
    comments = "[^a-z](fullest|uncut|puzzle|cutting)[^a-z]|(is|are|be) cut (along|over|by|into|in) |borders? of (a|the|its) (computation|region|body)"
}
{
    code = $0
    gsub(/"([^"\\]|\\.)*"/, "", code)
    comment = ""
    if (match(code, /\/\/.*/)) {
        comment = substr(code, RSTART)
        code = substr(code, 1, RSTART - 1)
    }
    gsub(ordinary, " ", code)
    if (code ~ begins || code ~ inside || comment ~ comments)
        print FILENAME ":" FNR ": " $0
}
