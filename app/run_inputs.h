// SPDX-License-Identifier: GPL-3.0-or-later
// The arguments of a program that is run: from files, or random.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "program/program.h"
#include "simulate/evaluate/array.h"

namespace shardscope::cli {

struct GivenArrays {
    std::vector<evaluate::Array> arrays; ///< one per argument of main
    std::vector<std::string> from; ///< "x.npy", "random, seed 7"
};

struct InputOptions {
    std::vector<std::string> files; ///< .json, .npy, .npz, NAME=FILE.npy
    std::optional<std::uint64_t> seed; ///< for arguments that no file gives
};

/// What every argument of main is called: "arg0", and its own name where it has one.
[[nodiscard]] std::vector<std::vector<std::string>> argumentNames(const Program& program);
/// "arg0 tensor<8x16xf32>, arg1 tensor<16xf32>", of many the first ones.
[[nodiscard]] std::string argumentList(const Program& program);

/// Files are opened only as far as their arrays fit the program. Every diagnostic names its file.
[[nodiscard]] tl::expected<GivenArrays, std::vector<Diagnostic>> readInputs(
    const Program& program, const InputOptions& options);

} // namespace shardscope::cli
