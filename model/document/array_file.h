// SPDX-License-Identifier: GPL-3.0-or-later
// Arrays in NumPy's files that arguments of a program begin with, checked against the types of the arguments.
#pragma once

#include <QString>
#include <string>
#include <string_view>

#include "experiment/experiment.h"
#include "program/program.h"
#include "simulate/run/initial_values.h"

namespace shardscope {

/// The elements of a .npy in memory. `name` is that of the argument, for errors: TypeMismatch where type or shape do
/// not fit, OutOfRange for integers of 2 and 4 bits that are none, and those of readNpyHeader() and readNpyElements().
[[nodiscard]] Result<kernels::Array> arrayOfNpy(std::string_view file, const TensorType& type, const std::string& name);
/// Of a file: the header first, and nothing more of what does not fit. Errors: further Unreadable.
[[nodiscard]] Result<kernels::Array> readNpyFile(const QString& path, const TensorType& type, const std::string& name);

/// Reads the files that `values` choose, relative to `folder`, into `values.files`. Of a .npz an argument takes the
/// array of its path or number ("w", "arg3", "arr_3"), or the only one. Errors: those above, TooLarge, UnknownValue
/// {key: array} for a .npz without such an array; with the file's name.
[[nodiscard]] Result<void> readInitialFiles(InitialValues& values, const Program& program, const QString& folder);
/// The folder to which the files of an experiment are relative: that of its own file, or else the current one.
[[nodiscard]] QString folderOf(const QString& experimentFile);

} // namespace shardscope
