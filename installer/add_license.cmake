# SPDX-License-Identifier: GPL-3.0-or-later
# Run by CPack: the archive carries the licence; a Debian system has it.
if(CPACK_GENERATOR STREQUAL "TGZ")
    file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/../LICENSE" DESTINATION "${CPACK_TEMPORARY_INSTALL_DIRECTORY}")
endif()
