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
foreach(warning null-dereference restrict array-bounds stringop-overflow maybe-uninitialized)
    if(SHARDSCOPE_SANITIZE)
        target_compile_options(shardscope_options INTERFACE -Wno-${warning})
    else()
        target_compile_options(shardscope_options INTERFACE $<$<CONFIG:Release>:-Wno-${warning}>)
    endif()
endforeach()
# A function whose rarely executed part is empty would have a frame description of no length there, for which lld leaves
# out the one of the next function: an exception that comes through it ends the program.
target_compile_options(shardscope_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-fno-reorder-blocks-and-partition>)
if(SHARDSCOPE_SANITIZE)
    target_compile_options(shardscope_options INTERFACE -fsanitize=${SHARDSCOPE_SANITIZE} -fno-omit-frame-pointer
        -fno-sanitize-recover=all)
    target_link_options(shardscope_options INTERFACE -fsanitize=${SHARDSCOPE_SANITIZE})
endif()
# Checking every null pointer and alignment of the tests' own code, and address checks inline rather than by a call, would
# take a third of the time in which tests compile. The code under test keeps all checks.
# (Linked after shardscope_options, as the last of two contrary options counts.)
add_library(shardscope_test_options INTERFACE)
if(SHARDSCOPE_SANITIZE MATCHES "address")
    target_compile_options(shardscope_test_options INTERFACE -fno-sanitize=null,alignment,vptr
        "SHELL:--param asan-instrumentation-with-call-threshold=0")
endif()

# A release optimises with -O3 where the program spends its time, with -O2 where text is read and checked, and with -O1
# where it waits for people. Other configurations have one level for all.
#
# Clean builds: most of the time of a small file goes into the standard library's headers and templates. So the files of
# a folder are compiled in batches (SHARDSCOPE_UNITY), and what they all include is precompiled once per level.
set(SHARDSCOPE_BATCH 16)
function(shardscope_optimise target level)
    if(NOT level EQUAL 3)
        target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O${level}>)
    endif()
endfunction()
function(shardscope_batches target)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${SHARDSCOPE_UNITY} UNITY_BUILD_BATCH_SIZE ${SHARDSCOPE_BATCH})
endfunction()
# A class Private may have members of types that its file alone knows; in a batch that file is not the main one.
function(shardscope_private_types target)
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
endfunction()
# shardscope_precompile(<target> <header of cmake/precompiled, without .h>): a precompiled header of the target's own.
function(shardscope_precompile target header)
    target_precompile_headers(${target} PRIVATE "${CMAKE_SOURCE_DIR}/cmake/precompiled/${header}.h")
endfunction()
# The core's targets share one for each level.
set(core_source "${CMAKE_BINARY_DIR}/precompiled.cpp")
if(NOT EXISTS "${core_source}")
    file(WRITE "${core_source}" "")
endif()
foreach(level 1 2 3)
    add_library(shardscope_precompiled_${level} OBJECT "${core_source}")
    target_link_libraries(shardscope_precompiled_${level} PRIVATE shardscope_options tl::expected)
    shardscope_optimise(shardscope_precompiled_${level} ${level})
    shardscope_precompile(shardscope_precompiled_${level} core)
endforeach()

# shardscope_library(<folder> [DEPENDS <folders>...] [PUBLIC <targets>...] [PRIVATE <targets>...]
#                    [OPTIMISE 1|2|3] [QT] [OWN_FLAGS])
# OWN_FLAGS: the folder is compiled with flags that the precompiled header of the core does not have.
function(shardscope_library folder)
    cmake_parse_arguments(ARG "QT;OWN_FLAGS" "OPTIMISE" "DEPENDS;PUBLIC;PRIVATE" ${ARGN})
    if(NOT ARG_OPTIMISE)
        set(ARG_OPTIMISE 3)
    endif()
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
    shardscope_optimise(${target} ${ARG_OPTIMISE})
    shardscope_batches(${target})
    if(ARG_QT OR ARG_OWN_FLAGS)
        shardscope_precompile(${target} core)
    else()
        target_precompile_headers(${target} REUSE_FROM shardscope_precompiled_${ARG_OPTIMISE})
    endif()
    if(ARG_QT)
        target_compile_definitions(${target} PUBLIC QT_NO_KEYWORDS QT_NO_FOREACH QT_NO_CAST_TO_ASCII
            QT_NO_CAST_FROM_ASCII QT_NO_NARROWING_CONVERSIONS_IN_CONNECT)
        set_target_properties(${target} PROPERTIES AUTOMOC ON)
        shardscope_private_types(${target})
    endif()
endfunction()

# shardscope_tests(<name of the folder under test> LIBRARIES <folders>... [WIDGETS] [EXTRA <targets>...]
#                  [OWN_PROGRAM <tests>...] [OPTIMISE 0|1])
# The test_*.cpp beside the CMakeLists.txt become one Qt Test program, and a ctest entry for each file. A test that
# replaces operator new, named by OWN_PROGRAM, is a program of its own. Qt Test's own limit per function, in milliseconds,
# stays just below that of the program: a busy machine takes longer than its 5 minutes. What is tested is optimised as it
# is shipped; the tests themselves are not worth the time that an optimiser takes, save those that calculate much (1).
# Tests of one level share a precompiled header; those that link what is made of Qt are compiled with definitions of Qt's own, and have one of their own (QT, WIDGETS).
# Qt names each target's folders for QFINDTESTDATA(), which nothing here uses, and no two could share a header.
function(shardscope_no_test_data target)
    target_compile_options(${target} PRIVATE -UQT_TESTCASE_BUILDDIR -UQT_TESTCASE_SOURCEDIR)
endfunction()
function(shardscope_tests group)
    cmake_parse_arguments(ARG "QT;WIDGETS" "OPTIMISE" "LIBRARIES;EXTRA;OWN_PROGRAM" ${ARGN})
    if(NOT ARG_OPTIMISE)
        set(ARG_OPTIMISE 0)
    endif()
    file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/test_*.cpp")
    add_executable(${group}_tests "${CMAKE_SOURCE_DIR}/tests/test_main.cpp")
    shardscope_test_program(${group}_tests)
    shardscope_batches(${group}_tests)
    shardscope_private_types(${group}_tests)
    foreach(source IN LISTS sources)
        get_filename_component(name "${source}" NAME_WE)
        if(name IN_LIST ARG_OWN_PROGRAM)
            set(target ${group}_${name})
            add_executable(${target} "${CMAKE_SOURCE_DIR}/tests/test_main.cpp")
            shardscope_test_program(${target})
        else()
            set(target ${group}_tests)
        endif()
        # moc by hand: AUTOMOC would give every program a second file to compile.
        qt_generate_moc("${source}" "${CMAKE_CURRENT_BINARY_DIR}/${name}.moc" TARGET ${target})
        target_sources(${target} PRIVATE "${source}" "${CMAKE_CURRENT_BINARY_DIR}/${name}.moc")
        add_test(NAME ${group}/${name} COMMAND ${target} ${name})
        if(group IN_LIST SHARDSCOPE_CORE)
            set_tests_properties(${group}/${name} PROPERTIES LABELS core)
        endif()
        set_tests_properties(${group}/${name} PROPERTIES TIMEOUT 900
            ENVIRONMENT "QT_QPA_PLATFORM=offscreen;LC_ALL=C.UTF-8;QTEST_FUNCTION_TIMEOUT=850000")
    endforeach()
endfunction()

macro(shardscope_test_program program)
    set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
    foreach(library IN LISTS ARG_LIBRARIES)
        target_link_libraries(${program} PRIVATE shardscope_${library})
    endforeach()
    target_link_libraries(${program} PRIVATE shardscope_options shardscope_test_options Qt6::Test ${ARG_EXTRA})
    if(ARG_WIDGETS)
        target_link_libraries(${program} PRIVATE Qt6::Widgets)
    else()
        target_link_libraries(${program} PRIVATE rapidcheck)
    endif()
    shardscope_optimise(${program} ${ARG_OPTIMISE})
    if(ARG_WIDGETS)
        shardscope_precompile(${program} qt_tests)
    elseif(ARG_QT)
        shardscope_precompile(${program} tests)
    else()
        target_precompile_headers(${program} REUSE_FROM shardscope_precompiled_tests_${ARG_OPTIMISE})
        shardscope_no_test_data(${program})
    endif()
    target_include_directories(${program} PRIVATE "${CMAKE_SOURCE_DIR}/tests" "${CMAKE_CURRENT_BINARY_DIR}")
    target_compile_definitions(${program} PRIVATE SHARDSCOPE_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
        SHARDSCOPE_BINARY="$<TARGET_FILE_DIR:${program}>/../bin/shardscope" QT_NO_KEYWORDS)
    if(group IN_LIST SHARDSCOPE_CORE)
        set_property(GLOBAL APPEND PROPERTY SHARDSCOPE_CORE_TESTS ${program})
    endif()
endmacro()
