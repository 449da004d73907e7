// SPDX-License-Identifier: GPL-3.0-or-later
// The readers of arrays: NumPy's files and archives, nested lists.
#include "experiment_file/array_text.h"
#include "fuzz/fuzz.h"
#include "interchange/npy.h"
#include "interchange/npz.h"

namespace shardscope::fuzz {

namespace {

std::string runNpy(std::string_view text)
{
    const auto header = readNpyHeader(text);
    if (!header)
        return checkError(header.error(), text);
    if (header->dataBegin > text.size())
        return "elements behind the end";
    const auto bytes = readNpyElements(text, *header);
    if (!bytes)
        return checkError(bytes.error(), text);
    if (static_cast<std::int64_t>(bytes->size()) != header->dataBytes())
        return "another number of bytes than the header says";
    const TensorType type{ header->dtype.value_or(header->elementBytes == 1 ? DType::F8E5M2 : DType::BF16),
        header->shape };
    if (!header->holds(type))
        return "does not hold what it says";
    const std::string declared = writeNpy(type, bytes->data());
    const auto again = readNpyHeader(declared);
    if (!again || !again->holds(type))
        return "cannot read its own file";
    const auto same = readNpyElements(declared, *again);
    return same && *same == *bytes ? std::string() : "reads its own file differently";
}

std::string runNpz(std::string_view text)
{
    const auto entries = readNpz(text);
    if (!entries)
        return checkError(entries.error(), text);
    for (const NpzEntry& entry : *entries)
        if (entry.file.data() < text.data() || entry.file.data() + entry.file.size() > text.data() + text.size())
            return "an array outside of the archive";
    return {};
}

std::string runArrayText(std::string_view text)
{
    const JsonText json = parseJson(text);
    if (!json.errors.empty())
        return checkError(json.errors.front(), text);
    for (const TensorType& type :
        { TensorType{ DType::F32, { 2, 3 } }, TensorType{ DType::BF16, { 3 } }, TensorType{ DType::I64, { 2 } },
            TensorType{ DType::Pred, { 1, 2 } }, TensorType{ DType::F8E4M3FN, {} } }) {
        const auto bytes = readArrayText(json.root, type, "x");
        if (!bytes) {
            if (std::string wrong = checkError(bytes.error(), text); !wrong.empty())
                return wrong;
            continue;
        }
        if (static_cast<std::int64_t>(bytes->size()) != type.byteCount())
            return "another number of bytes than the type has";
        const std::string declared = arrayText(type, bytes->data());
        const auto again = readArrayText(parseJson(declared).root, type, "x");
        if (!again || arrayText(type, again->data()) != declared)
            return "reads its own text differently: " + declared;
    }
    return {};
}

/// An archive of one array, without anything that a reader does not need.
std::string archiveOf(const std::string& name, const std::string& file)
{
    const auto number = [](std::size_t value, int bytes) {
        std::string text;
        for (int i = 0; i < bytes; ++i)
            text += static_cast<char>(value >> (8 * i) & 0xff);
        return text;
    };
    const std::string common =
        std::string(16, '\0') + number(file.size(), 4) + number(file.size(), 4) + number(name.size(), 2);
    const std::string local = "PK\x03\x04" + common + number(0, 2) + name + file;
    const std::string directory = "PK\x01\x02" + number(0, 2) + common + std::string(16, '\0') + name;
    return local + directory + "PK\x05\x06" + number(0, 4) + number(1, 2) + number(1, 2) + number(directory.size(), 4)
        + number(local.size(), 4) + number(0, 2);
}

const std::vector<std::byte> someBytes(48, std::byte{ 1 });

} // namespace

Target npyTarget()
{
    return { "npy",
        {
            writeNpy({ DType::F32, { 2, 3 } }, someBytes.data()),
            writeNpy({ DType::BF16, { 4 } }, someBytes.data()),
            writeNpy({ DType::Pred, {} }, someBytes.data()),
            std::string(
                "\x93NUMPY\x02\x00\x3b\x00\x00\x00{'descr': '>i8', 'fortran_order': True, 'shape': (2, 3), }\n", 71)
                + std::string(48, '\x05'),
            "'shape': (2, 0, 9), '|V1' '<c16' \"|b1\"",
        },
        runNpy, { { "\x93NUMPY\x03\x01\xff\xff\x0e{'descr': '<f4', 'shape': (", "#, ", ")}" } } };
}

Target npzTarget()
{
    const std::string file = writeNpy({ DType::F32, { 2, 3 } }, someBytes.data());
    return { "npz", { archiveOf("x.npy", file), archiveOf("arr_0.npy", "short"), file }, runNpz };
}

Target arrayTextTarget()
{
    return { "array_text",
        { "[[1, 2.5, \"nan\"], [-0.0, 1e-3, \"-inf\"]]", "[1.00390625000000000000001, 3, \"inf\"]",
            "[9007199254740993, -9223372036854775808]", "[[true, false]]", "448" },
        runArrayText, { { "[", "#,", "1]" }, { "[[", "1.#e-5,", "2]]" } } };
}

} // namespace shardscope::fuzz
