# SPDX-License-Identifier: GPL-3.0-or-later
# Prints the types that two files define under one name in one namespace. The linker takes a template of such a name,
# std::vector<Move>, from whichever file comes first, and for the other it has the wrong size. Anonymous namespaces may
# repeat each other, and so may the classes of tests, which are programs of their own.
FNR == 1 { depth = 0; anonymous = 0 }
/^(inline )?namespace( [A-Za-z_:]+)? \{/ {
    name = $0
    sub(/^(inline )?namespace ?/, "", name)
    sub(/ ?\{.*/, "", name)
    spaces[++depth] = name
    if (name == "") anonymous++
    next
}
/^\} \/\/ namespace/ { if (depth > 0 && spaces[depth--] == "") anonymous--; next }
/^(struct|class|union|enum|enum class) [A-Z][A-Za-z0-9_]*( final)?( : [^;]*| : [^;]*\{| ?\{.*)?$/ {
    if (anonymous > 0 || depth == 0)
        next
    name = $2 == "class" ? $3 : $2
    path = ""
    for (i = 1; i <= depth; i++)
        path = path spaces[i] "::"
    path = path name
    if (path in places && places[path] != FILENAME)
        print path ": " places[path] ", " FILENAME
    else
        places[path] = FILENAME
}
