// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in sections.h.
#include <algorithm>
#include <unordered_set>

#include "base/codes.h"
#include "experiment_file/file_words.h"
#include "experiment_file/sections.h"
#include "program/declared_rule.h"
#include "sharding/memory_kind.h"
#include "sharding/sharding_text.h"

namespace shardscope {

namespace words = file_words;

namespace {

using Type = JsonNode::Type;

std::vector<std::string> dtypeNames()
{
    std::vector<std::string> names;
    for (int i = 0; i <= static_cast<int>(DType::F64); ++i)
        names.emplace_back(name(static_cast<DType>(i)));
    return names;
}

void readMlp(ObjectCursor& object, MlpSettings& settings)
{
    object.read("layers", settings.layers, 1, words::maximumLayers);
    if (const auto dims = object.find("dims")) {
        if (auto inner = dims->asObject()) {
            inner->read("batch", settings.batch, 1, words::maximumSize);
            inner->read("embed", settings.embed, 1, words::maximumSize);
            inner->read("hidden", settings.hidden, 1, words::maximumSize);
            inner->finish();
        }
    }
    if (const auto dtype = object.find("dtype"))
        if (const auto index = dtype->asOneOf({ "f32", "f64" }))
            settings.dtype = *index == 0 ? DType::F32 : DType::F64;
    object.read("axes", words::axes, settings.axes);
    object.read("y_constraint", words::axes, settings.yConstraint);
    if (const auto deviceAxes = object.find("device_axes")) {
        if (auto inner = deviceAxes->asObject()) {
            settings.deviceAxes.clear();
            for (const char* dimension : { "batch", "embed", "hidden" })
                if (const auto entry = inner->find(dimension))
                    if (const auto axes = readSpecEntry(*entry))
                        settings.deviceAxes.emplace(dimension, *axes);
            inner->finish();
        }
    }
    object.read("loss", words::losses, settings.loss);
    object.read("remat", words::remats, settings.remat);
    object.read("form", words::forms, settings.form);
    object.read("layers_axis", settings.layersAxis, 0, 2);
    if (const auto name = object.find("layers_name"))
        settings.layersName = name->isNull() ? std::nullopt : name->asName();
}

/// Names of dimensions: each once.
bool readNames(const ValueCursor& value, LogicalNames& names)
{
    const auto elements = value.asList("dimensions", words::maximumRank);
    if (!elements)
        return false;
    bool right = true;
    for (const ValueCursor& element : *elements) {
        const auto name = readLogicalName(element);
        right = right && name.has_value();
        if (!name)
            continue;
        if (name->kind == LogicalName::Kind::Name && std::find(names.begin(), names.end(), *name) != names.end()) {
            element.report(Code::DuplicateDimension, { { "dims", std::vector<std::string>{ name->name } } });
            right = false;
        }
        names.push_back(*name);
    }
    return right;
}

bool readShape(const ValueCursor& value, Shape& shape)
{
    const auto elements = value.asList("dimensions", words::maximumRank);
    if (!elements)
        return false;
    bool right = true;
    for (const ValueCursor& element : *elements) {
        const auto size = element.asInteger(1, words::maximumSize);
        right = right && size.has_value();
        shape.push_back(size.value_or(1));
    }
    return right;
}

/// Whether the array's bytes stay within the limit.
bool fits(const NamedArraySetting& array)
{
    std::int64_t bytes = byteSize(array.dtype);
    for (const std::int64_t size : array.shape) {
        if (bytes > words::maximumBytes / size)
            return false;
        bytes *= size;
    }
    return true;
}

/// Whether the platform of the devices has it is left to the analysis: devices are edited apart from arrays.
std::optional<MemoryKind> readMemoryKind(const ValueCursor& value)
{
    const auto text = value.asString();
    if (!text)
        return std::nullopt;
    Result<MemoryKind> kind = parseMemoryKind(*text);
    if (kind)
        return *kind;
    value.report(kind.error().code, std::move(kind.error().args));
    return std::nullopt;
}

std::optional<NamedArraySetting> readArray(const ValueCursor& value)
{
    auto object = value.asObject();
    if (!object)
        return std::nullopt;
    NamedArraySetting array;
    const auto path = object->require("path");
    const auto name = path ? path->asName() : std::nullopt;
    array.path = name.value_or(std::string());
    const auto names = object->require("names");
    bool right = names && readNames(*names, array.names) && name;
    const auto shape = object->require("shape");
    right = shape && readShape(*shape, array.shape) && right;
    object->read("dtype", dtypeNames(), array.dtype);
    if (const auto kind = object->find("memory_kind"))
        array.memoryKind = readMemoryKind(*kind);
    object->finish();
    if (!right)
        return std::nullopt;
    if (array.names.size() != array.shape.size()) {
        names->report(Code::WrongType,
            { { "key", "names" },
                { "expected",
                    "one name or null for each of the " + std::to_string(array.shape.size()) + " dimensions" },
                { "found", std::to_string(array.names.size()) + " names" } });
        return std::nullopt;
    }
    if (!fits(array)) {
        shape->report(Code::TooLarge, { { "what", "bytes of the array" }, { "limit", words::maximumBytes } });
        return std::nullopt;
    }
    return array;
}

void readArrays(ObjectCursor& object, std::vector<NamedArraySetting>& arrays)
{
    const auto list = object.require("arrays");
    if (!list)
        return;
    const auto elements = list->asList("arrays", words::maximumArrays);
    if (!elements)
        return;
    std::unordered_set<std::string> paths;
    for (const ValueCursor& element : *elements) {
        auto array = readArray(element);
        if (!array)
            continue;
        if (!paths.insert(array->path).second) {
            const JsonNode* path = element.node().find("path");
            ValueCursor(element.context(), *path, pointerTo(element.pointer(), "path"), "path")
                .report(Code::DuplicateKey, { { "key", array->path } });
        }
        arrays.push_back(std::move(*array));
    }
}

/// Rules by the path of an operation's first result. Whether they fit the operations is seen when the program is built.
void readShardingRules(const ValueCursor& value, std::vector<RuleOverride>& rules)
{
    auto object = value.asObject();
    if (!object)
        return;
    if (value.node().children.size() > words::maximumShardingRules) {
        value.report(Code::TooLarge,
            { { "what", "sharding rules" }, { "count", value.node().children.size() },
                { "limit", words::maximumShardingRules } });
        return;
    }
    for (const JsonNode& node : value.node().children) {
        if (node.key == "notes")
            continue;
        const auto entry = object->find(node.key);
        if (!isValidName(node.key)) {
            entry->wrongType("the path of a value, such as \"3\"");
            continue;
        }
        const auto rule = entry->asString();
        if (!rule)
            continue;
        if (parseDeclaredRule(*rule))
            rules.push_back({ node.key, *rule });
        else
            entry->report(Code::BadRule, { { "wrong", "unreadable" }, { "found", *rule } });
    }
    object->finish();
}

/// As a text calls its values, with functions and regions in front: "arg0", "result1", "cst_0", "12", "other/arg0",
/// "12#1", "%12".
bool isValueName(std::string_view name)
{
    name = name.substr(name.rfind('/') + 1); // all of it where there is none
    if (name.starts_with('%'))
        name.remove_prefix(1);
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    const auto areDigits = [&](std::string_view text) {
        return !text.empty() && std::all_of(text.begin(), text.end(), isDigit);
    };
    const std::size_t sign = name.find('#');
    if (sign != std::string_view::npos && !areDigits(name.substr(sign + 1)))
        return false;
    name = name.substr(0, sign);
    const auto isPart = [&](char c) {
        const char lower = static_cast<char>(c | 0x20);
        return isDigit(c) || (lower >= 'a' && lower <= 'z') || c == '_' || c == '$' || c == '.' || c == '-';
    };
    return areDigits(name)
        || (!name.empty() && !isDigit(name.front()) && std::all_of(name.begin(), name.end(), isPart));
}

/// What cannot be a sharding on any mesh is refused here. What this mesh does not have is left to the analysis: the
/// mesh is edited apart from the shardings.
void readShardings(const ValueCursor& value, const MeshSetting& meshSetting, std::vector<ValueSharding>& shardings)
{
    const Result<Mesh> mesh = makeMesh(meshSetting);
    forEachNamed(value, [&](const std::string& name, const ValueCursor& entry) {
        if (!isValueName(name)) {
            entry.report(Code::WrongType,
                { { "key", "shardings" },
                    { "expected",
                        "values by their names in the text, such as \"arg0\", \"12\" or \"12#1\", or \"result0\" for "
                        "what main returns" },
                    { "found", "\"" + name + '"' } });
            return;
        }
        const auto text = entry.asString();
        if (!text)
            return;
        if (mesh) {
            const Result<TensorSharding> sharding = parseDimensions(*text, *mesh);
            if (!sharding && sharding.error().code != Code::UnknownAxis && sharding.error().code != Code::BadSubAxis
                && sharding.error().code != Code::OverlappingAxes && sharding.error().code != Code::AxisOrder) {
                std::vector<Arg> args = sharding.error().args;
                args.emplace_back("key", name);
                entry.report(sharding.error().code, std::move(args));
                return;
            }
        }
        shardings.push_back({ name, *text });
    });
}

/// The text in the experiment itself, line by line, or the name of the file that holds it.
void readProgram(ObjectCursor& object, const MeshSetting& mesh, ProgramModel& program)
{
    if (const auto shardings = object.find("shardings"))
        readShardings(*shardings, mesh, program.shardings);
    const auto file = object.find("file");
    const auto lines = object.find("text");
    if (const auto rules = object.find("sharding_rules"))
        readShardingRules(*rules, program.shardingRules);
    if (file && lines) {
        lines->report(Code::DuplicateKey, { { "key", "text" }, { "other", "file" } });
        return;
    }
    if (!lines) {
        const auto name = file ? file->asName() : std::nullopt;
        if (!file)
            static_cast<void>(object.require("file"));
        if (!name)
            return;
        program.file = *name;
        const FileSource& files = file->context().files;
        Result<std::string> text = files ? files(*name) : Result<std::string>(std::string());
        if (!text)
            file->report(text.error().code, std::move(text.error().args));
        else
            program.text = std::make_shared<const std::string>(std::move(*text));
        return;
    }
    const auto elements = lines->asList("lines of the program", words::maximumProgramLines);
    if (!elements)
        return;
    std::string text;
    for (const ValueCursor& element : *elements)
        text += element.asString().value_or(std::string()) + '\n';
    program.text = std::make_shared<const std::string>(std::move(text));
}

} // namespace

bool readModel(const ValueCursor& value, const MeshSetting& mesh, ModelSetting& model)
{
    auto object = value.asObject();
    if (!object)
        return false;
    const auto preset = object->require("preset");
    const auto index = preset ? preset->asOneOf(words::presets) : std::nullopt;
    if (!index)
        return false; // the other keys mean nothing without it
    if (*index == 0) {
        MlpModel mlp;
        readMlp(*object, mlp.settings);
        model = std::move(mlp);
    } else if (*index == 1) {
        ArraysModel arrays;
        readArrays(*object, arrays.arrays);
        model = std::move(arrays);
    } else if (*index == 3) {
        TransformerModel transformer;
        readTransformer(*object, transformer.settings.model);
        model = std::move(transformer);
    } else {
        ProgramModel program;
        readProgram(*object, mesh, program);
        model = std::move(program);
    }
    object->finish();
    return true;
}

} // namespace shardscope
