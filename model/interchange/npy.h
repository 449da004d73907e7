// SPDX-License-Identifier: GPL-3.0-or-later
// Arrays in NumPy's files (.npy), format versions 1 to 3.
//
//     const Result<NpyHeader> header = readNpyHeader(file);
//     if (header && header->holds({ DType::F32, { 2, 3 } }))
//         auto bytes = readNpyElements(file, *header); // 24 bytes, row-major, in the order of this machine
//
// Types that NumPy has not itself (bfloat16, the floats of 8 bits and fewer) are written by ml_dtypes as raw bytes,
// "V2" and "V1", which do not say what they are. Such a file can be read where the reader knows the type: holds() takes
// raw bytes for every type of that size that NumPy lacks, and for no other.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program/types.h"

namespace shardscope {

struct NpyHeader {
    std::string descr; ///< as it is written: "<f4"
    std::optional<DType> dtype; ///< nothing for raw bytes
    std::int64_t elementBytes = 0;
    bool bigEndian = false;
    bool fortranOrder = false;
    Shape shape;
    std::size_t dataBegin = 0; ///< offset of the first element in the file

    /// Whether the elements are those of such an array. Integers of 2 and 4 bits are held in 8.
    [[nodiscard]] bool holds(const TensorType& type) const;
    /// Bytes of all elements; the largest 64-bit number where there would be more.
    [[nodiscard]] std::int64_t dataBytes() const;
    /// "tensor<2x3xf32>", "raw bytes (V2) of shape 2x3".
    [[nodiscard]] std::string text() const;
};

/// Types that NumPy lacks, and that it keeps as raw bytes.
[[nodiscard]] bool isRawInNumpy(DType dtype);

/// Headers of this size are read at most; NumPy itself takes 10,000 bytes for suspicious.
inline constexpr std::size_t largestNpyHeader = std::size_t{ 1 } << 20;
/// So much of a file is enough for its header, whatever it holds.
inline constexpr std::size_t npyHeaderBytes = largestNpyHeader + 12;

/// What is wrong at an offset of a file.
[[nodiscard]] tl::unexpected<Error> npySyntax(std::string expected, std::string found, std::uint64_t offset);

/// The begin of a file is enough. Errors: Syntax (not this format, cut short), NewerVersion, UnknownValue for element
/// types that no program has (text, objects, records, dates, floats of 128 bits), TooLarge for headers, ranks and
/// sizes, DuplicateKey, MissingKey, OutOfRange for negative sizes.
[[nodiscard]] Result<NpyHeader> readNpyHeader(std::string_view file);

/// The elements of the whole file, in C order and the byte order of this machine; truth values are 0 or 1. No memory is
/// taken before the size is right. Errors: CountMismatch {what: bytes} for a file that is cut short or goes on after
/// its end.
[[nodiscard]] Result<std::vector<std::byte>> readNpyElements(std::string_view file, const NpyHeader& header);

/// A file of format version 1. Integers of 2 and 4 bits become those of 8, types that NumPy lacks raw bytes.
/// `elements` are `type.byteCount()` bytes in C order. Not for tokens and other types.
[[nodiscard]] std::string writeNpy(const TensorType& type, const std::byte* elements);

} // namespace shardscope
