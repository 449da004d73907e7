# SPDX-License-Identifier: GPL-3.0-or-later
# One static library per folder. A folder's headers are reachable as "folder/header.h" only for targets that link its
# library: each library publishes a directory of its own that holds nothing but a link to the folder. So an include
# against the direction of the dependencies does not compile.
include_guard(GLOBAL)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_VERIFY_INTERFACE_HEADER_SETS ON)

add_library(shardscope_options INTERFACE)
target_compile_options(shardscope_options INTERFACE
    -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast -Wnon-virtual-dtor
    -Woverloaded-virtual -Wnull-dereference -Wdouble-promotion
    $<$<BOOL:${SHARDSCOPE_WERROR}>:-Werror>)
# These report false positives inside the standard library of g++ 12 once code is inlined at -O3, or checked.
foreach(warning null-dereference restrict array-bounds stringop-overflow)
    if(SHARDSCOPE_SANITIZE)
        target_compile_options(shardscope_options INTERFACE -Wno-${warning})
    else()
        target_compile_options(shardscope_options INTERFACE $<$<CONFIG:Release>:-Wno-${warning}>)
    endif()
endforeach()
if(SHARDSCOPE_SANITIZE)
    target_compile_options(shardscope_options INTERFACE -fsanitize=${SHARDSCOPE_SANITIZE} -fno-omit-frame-pointer
        -fno-sanitize-recover=all)
    target_link_options(shardscope_options INTERFACE -fsanitize=${SHARDSCOPE_SANITIZE})
endif()

# shardscope_library(<folder> [DEPENDS <folders>...] [PUBLIC <targets>...] [PRIVATE <targets>...] [QT])
function(shardscope_library folder)
    cmake_parse_arguments(ARG "QT" "" "DEPENDS;PUBLIC;PRIVATE" ${ARGN})
    string(REPLACE "/" "_" name "${folder}")
    set(target shardscope_${name})
    set(published "${CMAKE_BINARY_DIR}/headers/${name}")
    file(MAKE_DIRECTORY "${published}")
    file(CREATE_LINK "${CMAKE_CURRENT_SOURCE_DIR}" "${published}/${name}" SYMBOLIC)

    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
    if(ARG_QT) # by the same way as headers, or AUTOMOC takes a header for two
        list(TRANSFORM sources REPLACE "^${CMAKE_CURRENT_SOURCE_DIR}/" "${published}/${name}/")
    endif()
    file(GLOB_RECURSE headers RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.h")
    list(TRANSFORM headers PREPEND "${published}/${name}/")
    if(NOT sources) # a folder of headers alone
        set(sources "${CMAKE_BINARY_DIR}/headers/${name}.cpp")
        file(WRITE "${sources}" "")
    endif()
    add_library(${target} STATIC ${sources})
    target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS "${published}" FILES ${headers})
    target_link_libraries(${target} PRIVATE shardscope_options)
    foreach(dependency IN LISTS ARG_DEPENDS)
        target_link_libraries(${target} PUBLIC shardscope_${dependency})
    endforeach()
    target_link_libraries(${target} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
    if(ARG_QT)
        target_compile_definitions(${target} PUBLIC QT_NO_KEYWORDS QT_NO_FOREACH QT_NO_CAST_TO_ASCII
            QT_NO_CAST_FROM_ASCII QT_NO_NARROWING_CONVERSIONS_IN_CONNECT)
        set_target_properties(${target} PROPERTIES AUTOMOC ON)
    endif()
endfunction()

# shardscope_tests(<name of the folder under test> LIBRARIES <folders>... [WIDGETS] [RESOURCES...])
# Every test_*.cpp beside the CMakeLists.txt becomes one Qt Test program and one ctest entry. Qt Test's own limit per
# function, in milliseconds, stays just below that of the program: a busy machine takes longer than its 5 minutes. What is
# tested is optimised as it is shipped; the tests themselves are not worth the time that -O3 takes.
function(shardscope_tests group)
    cmake_parse_arguments(ARG "WIDGETS" "" "LIBRARIES;EXTRA" ${ARGN})
    file(GLOB tests CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/test_*.cpp")
    foreach(source IN LISTS tests)
        get_filename_component(name "${source}" NAME_WE)
        set(target ${group}_${name})
        add_executable(${target} "${source}")
        set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
        foreach(library IN LISTS ARG_LIBRARIES)
            target_link_libraries(${target} PRIVATE shardscope_${library})
        endforeach()
        target_link_libraries(${target} PRIVATE shardscope_options Qt6::Test ${ARG_EXTRA})
        if(NOT group STREQUAL "simulate") # whose references are computed by templates
            target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
        endif()
        if(ARG_WIDGETS)
            target_link_libraries(${target} PRIVATE Qt6::Widgets)
        endif()
        # moc by hand: AUTOMOC would give every program a second file to compile, a quarter of the time that tests take.
        qt_generate_moc("${source}" "${CMAKE_CURRENT_BINARY_DIR}/${name}.moc" TARGET ${target})
        target_sources(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/${name}.moc")
        target_include_directories(${target} PRIVATE "${CMAKE_SOURCE_DIR}/tests" "${CMAKE_CURRENT_BINARY_DIR}")
        target_compile_definitions(${target} PRIVATE SHARDSCOPE_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
            SHARDSCOPE_BINARY="$<TARGET_FILE_DIR:${target}>/../bin/shardscope" QT_NO_KEYWORDS)
        add_test(NAME ${group}/${name} COMMAND ${target})
        if(group IN_LIST SHARDSCOPE_CORE)
            set_property(GLOBAL APPEND PROPERTY SHARDSCOPE_CORE_TESTS ${target})
            set_tests_properties(${group}/${name} PROPERTIES LABELS core)
        endif()
        set_tests_properties(${group}/${name} PROPERTIES TIMEOUT 900
            ENVIRONMENT "QT_QPA_PLATFORM=offscreen;LC_ALL=C.UTF-8;QTEST_FUNCTION_TIMEOUT=850000")
    endforeach()
endfunction()
