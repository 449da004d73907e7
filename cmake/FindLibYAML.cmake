# SPDX-License-Identifier: GPL-3.0-or-later
# LibYAML (libyaml-dev), which brings no CMake files along: LibYAML::LibYAML.
find_path(LibYAML_INCLUDE_DIR yaml.h)
find_library(LibYAML_LIBRARY yaml)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibYAML REQUIRED_VARS LibYAML_LIBRARY LibYAML_INCLUDE_DIR)
if(LibYAML_FOUND AND NOT TARGET LibYAML::LibYAML)
    add_library(LibYAML::LibYAML UNKNOWN IMPORTED)
    set_target_properties(LibYAML::LibYAML PROPERTIES IMPORTED_LOCATION "${LibYAML_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${LibYAML_INCLUDE_DIR}")
endif()
