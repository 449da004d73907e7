// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of names, types, constants, shardings and numbers.
// Declared in printer.h.
#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "program/name_values.h"
#include "program/program_mesh.h"
#include "stablehlo/element_values.h"
#include "stablehlo/printer.h"
#include "stablehlo/scanner.h"

namespace shardscope {

namespace mlir {

namespace {

constexpr std::string_view hexDigits = "0123456789ABCDEF";

/// Constants of more elements are printed as their bytes.
constexpr std::int64_t longestList = 100;

bool isBare(std::string_view name)
{
    return !name.empty() && (isLetter(name[0]) || name[0] == '_')
        && std::all_of(name.begin(), name.end(), [](char c) { return isWordCharacter(c); });
}

/// The bytes of a constant that is given as numbers.
std::vector<std::byte> bytesOf(const std::vector<double>& values, DType dtype)
{
    const auto size = static_cast<std::size_t>(byteSize(dtype));
    std::vector<std::byte> bytes(values.size() * size);
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::byte* at = bytes.data() + i * size;
        if (isComplex(dtype)) {
            storeFloat(dtype == DType::C64 ? DType::F32 : DType::F64, values[i], at);
        } else if (isFloat(dtype)) {
            storeFloat(dtype, values[i], at);
        } else {
            const auto number = dtype == DType::U64 && values[i] >= 0x1p63
                ? static_cast<std::uint64_t>(values[i])
                : static_cast<std::uint64_t>(static_cast<std::int64_t>(values[i]));
            std::memcpy(at, &number, size);
        }
    }
    return bytes;
}

void appendList(std::string& text, const TensorType& type, const std::byte*& at, std::size_t dimension)
{
    if (dimension == type.rank()) {
        appendElement(text, type.dtype, at);
        at += byteSize(type.dtype);
        return;
    }
    text += '[';
    for (std::int64_t i = 0; i < type.shape[dimension]; ++i) {
        if (i > 0)
            text += ", ";
        appendList(text, type, at, dimension + 1);
    }
    text += ']';
}

std::string axisText(const AxisRef& ref, const ProgramMesh& mesh)
{
    if (const InvalidAxis* invalid = invalidAxis(mesh, ref))
        return quoted(invalid->name)
            + (invalid->isPart ? ":(" + std::to_string(invalid->pre) + ')' + std::to_string(invalid->size)
                               : std::string());
    std::string text = quoted(mesh.mesh->axis(static_cast<std::size_t>(ref.axis)).name);
    if (!isFull(*mesh.mesh, ref))
        text += ":(" + std::to_string(ref.pre) + ')' + std::to_string(ref.size);
    return text;
}

std::string axisList(const AxisList& list, const ProgramMesh& mesh)
{
    return join(list, ", ", [&](const AxisRef& ref) { return axisText(ref, mesh); });
}

} // namespace

std::string quoted(std::string_view text)
{
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\\') {
            out += "\\\\";
        } else if (byte < 0x20 || byte == 0x7f || c == '"') {
            out += '\\';
            out += hexDigits[byte >> 4];
            out += hexDigits[byte & 15U];
        } else {
            out += c;
        }
    }
    return out + '"';
}

std::string symbol(std::string_view name)
{
    // Names in names were read with their separators.
    constexpr std::string_view separator = "::@";
    std::string_view rest = name;
    bool bare = true;
    for (std::size_t next = rest.find(separator); bare && next != std::string_view::npos; next = rest.find(separator)) {
        bare = isBare(rest.substr(0, next));
        rest.remove_prefix(next + separator.size());
    }
    return '@' + (bare && isBare(rest) ? std::string(name) : quoted(name));
}

std::string listText(const Dimensions& numbers)
{
    return '[' + join(numbers, ", ") + ']';
}

std::string arrayText(const Dimensions& numbers)
{
    if (numbers.empty())
        return "array<i64>";
    return "array<i64: " + join(numbers, ", ") + '>';
}

std::string tableText(const std::vector<std::vector<std::int64_t>>& rows, std::size_t width)
{
    for (const auto& row : rows)
        width = std::max(width, row.size());
    const std::string type = "> : tensor<" + std::to_string(rows.size()) + 'x' + std::to_string(width) + "xi64>";
    if (rows.empty() || width == 0)
        return "dense<" + type;
    return "dense<["
        + join(rows, ", ",
            [&](const std::vector<std::int64_t>& row) {
                std::vector<std::int64_t> full = row;
                full.resize(width, -1);
                return '[' + join(full, ", ") + ']';
            })
        + ']' + type;
}

std::string tableText(const Padding& padding)
{
    std::vector<std::vector<std::int64_t>> rows;
    for (const auto& [before, after] : padding)
        rows.push_back({ before, after });
    return tableText(rows, 2);
}

std::string numberText(double value)
{
    std::string text;
    appendElement(text, DType::F64, reinterpret_cast<const std::byte*>(&value));
    return text;
}

std::string precisionText(const std::vector<std::string>& precision, bool wrapped)
{
    return '[' + join(precision, ", ", [&](const std::string& word) {
        return wrapped ? "#stablehlo<precision " + word + '>' : word;
    }) + ']';
}

std::string convolutionNumbers(const ConvolutionAttributes& a)
{
    const auto side = [](std::int64_t first, const char* firstName, std::int64_t second, const char* secondName,
                          const Dimensions& spatial) {
        std::vector<std::string> places(spatial.size() + 2, "?");
        const auto put = [&](std::int64_t place, std::string name) {
            if (place >= 0 && place < static_cast<std::int64_t>(places.size()))
                places[static_cast<std::size_t>(place)] = std::move(name);
        };
        put(first, firstName);
        put(second, secondName);
        for (std::size_t i = 0; i < spatial.size(); ++i)
            put(spatial[i], std::to_string(i));
        return '[' + join(places, ", ") + ']';
    };
    return side(a.inputBatch, "b", a.inputFeature, "f", a.inputSpatial) + 'x'
        + side(a.kernelInputFeature, "i", a.kernelOutputFeature, "o", a.kernelSpatial) + "->"
        + side(a.outputBatch, "b", a.outputFeature, "f", a.outputSpatial);
}

bool allAre(const Dimensions& numbers, std::int64_t value)
{
    return std::all_of(numbers.begin(), numbers.end(), [value](std::int64_t n) { return n == value; });
}

bool isZero(const Padding& padding)
{
    return std::all_of(padding.begin(), padding.end(), [](const auto& p) { return p.first == 0 && p.second == 0; });
}

std::string Printer::name(ValueId id) const
{
    if (m_options.names == PrintedNames::AsNames) {
        const std::string& path = m_program.value(id).path;
        return path.empty() ? "%nameless" + std::to_string(id.index) : '%' + std::string(nameInText(m_program, id));
    }
    const Name& n = m_names[id.index];
    std::string text = n.argument ? "%arg" : "%";
    text += std::to_string(n.number);
    if (n.several)
        text += '#' + std::to_string(n.part);
    return text;
}

std::string Printer::names(std::span<const ValueId> values) const
{
    return join(values, ", ", [this](ValueId v) { return name(v); });
}

std::string Printer::type(ValueId id) const
{
    const TensorType& t = m_program.value(id).type;
    return t.dtype == DType::Other ? m_program.otherTypes[t.other] : toString(t);
}

std::string Printer::constant(const ConstantAttributes& a, const TensorType& type) const
{
    const std::int64_t count = type.elementCount();
    const std::vector<std::byte> converted = a.bytes ? std::vector<std::byte>() : bytesOf(a.values, type.dtype);
    const std::vector<std::byte>& bytes = a.bytes ? *a.bytes : converted;
    const auto size = static_cast<std::size_t>(byteSize(type.dtype));
    const std::string after = "> : " + toString(type);
    if (count == 0 || bytes.empty())
        return "dense<" + after;
    std::string text = "dense<";
    if (bytes.size() == size) {
        appendElement(text, type.dtype, bytes.data());
        return text + after;
    }
    if (count > m_options.maximumElements)
        return "dense_resource<__elided__" + after;
    if (count > longestList && type.dtype != DType::Pred) {
        text.reserve(2 * bytes.size() + 64);
        text += "\"0x";
        for (const std::byte byte : bytes) {
            text += hexDigits[static_cast<unsigned>(byte) >> 4];
            text += hexDigits[static_cast<unsigned>(byte) & 15U];
        }
        return text + '"' + after;
    }
    const std::byte* at = bytes.data();
    appendList(text, type, at, 0);
    return text + after;
}

std::string Printer::shardings(const std::vector<ProgramSharding>& list) const
{
    return '[' + join(list, ", ", [this](const ProgramSharding& s) { return sharding(s); }) + ']';
}

std::string Printer::axes(const AxisList& list, const ProgramMesh& mesh) const
{
    return '{' + axisList(list, mesh) + '}';
}

void Printer::addDictionary(AttributeTexts attributes)
{
    if (attributes.empty())
        return;
    std::stable_sort(
        attributes.begin(), attributes.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    add(" {" + join(attributes, ", ", [](const auto& attribute) {
        std::string text = isBare(attribute.first) ? attribute.first : quoted(attribute.first);
        if (!attribute.second.empty())
            text += " = " + attribute.second;
        return text;
    }) + '}');
}

void Printer::addOperands(const Operation& op)
{
    if (!op.operands.empty())
        add(" " + names(op.operands));
}

void Printer::addTypes(std::span<const ValueId> values)
{
    add(join(values, ", ", [this](ValueId v) { return type(v); }));
}

void Printer::addResultTypes(const Operation& op)
{
    if (op.results.size() == 1) {
        add(type(op.results[0]));
        return;
    }
    add("(");
    addTypes(op.results);
    add(")");
}

void Printer::addFunctionalType(const Operation& op)
{
    add(" : (");
    addTypes(op.operands);
    add(") -> ");
    addResultTypes(op);
}

} // namespace mlir

std::string toText(const ProgramMesh& mesh)
{
    const auto axisSize = [](const MeshAxis& axis) {
        return mlir::quoted(axis.name) + '=' + std::to_string(axis.size);
    };
    if (mesh.illegal) // as it was written
        return "<[" + join(mesh.illegal->axes, ", ", axisSize) + ']'
            + (mesh.illegal->hasIds ? ", device_ids=[" + join(mesh.illegal->deviceIds, ", ") + ']' : std::string())
            + '>';
    std::string text = "<[" + join(mesh.mesh->axes(), ", ", axisSize) + ']';
    const std::span<const std::int32_t> order = mesh.mesh->deviceOrder();
    if (mesh.onlyDevice)
        text += ", device_ids=[" + std::to_string(*mesh.onlyDevice) + ']';
    else if (!order.empty())
        text += ", device_ids=[" + join(order, ", ") + ']';
    return text + '>';
}

std::string toText(const ProgramSharding& sharding, const std::vector<ProgramMesh>& meshes)
{
    const ProgramMesh& mesh = meshes[sharding.mesh];
    const TensorSharding& s = sharding.sharding;
    std::string text = '<' + (mesh.inlined ? "mesh" + toText(mesh) : mlir::symbol(mesh.name)) + ", [";
    text += join(s.dims, ", ", [&](const DimensionSharding& dimension) {
        std::string part = '{' + mlir::axisList(dimension.axes, mesh);
        if (dimension.open)
            part += dimension.axes.empty() ? "?" : ", ?";
        part += '}';
        if (dimension.priority >= 0)
            part += 'p' + std::to_string(dimension.priority);
        return part;
    });
    text += ']';
    if (!s.replicated.empty())
        text += ", replicated={" + mlir::axisList(s.replicated, mesh) + '}';
    if (!s.unreduced.empty())
        text += std::string(", unreduced=")
            + (sharding.unreducedKind == ReduceKind::Max        ? "max"
                    : sharding.unreducedKind == ReduceKind::Min ? "min"
                                                                : "")
            + '{' + mlir::axisList(s.unreduced, mesh) + '}';
    return text + '>';
}

} // namespace shardscope
