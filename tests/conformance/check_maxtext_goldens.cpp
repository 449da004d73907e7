// SPDX-License-Identifier: GPL-3.0-or-later
// maxtext_goldens: train states and activations of MaxText, with the specs that they had. Each layout is a folder of
// goldens for the product, which has to read back what it writes of it, and to give the specs of all state (with mesh
// axes of size 1) and of all activations (without them) by its rules and mesh alone. The state without axes of size 1
// is held against a table of arrays, as `resolve --table` takes it, and tensors also against parameters of the
// product's networks, those of Llama 3.1 path by path and shape by shape.
#include <algorithm>
#include <map>
#include <stdexcept>

#include "analysis/resolve_arrays.h"
#include "comparison/compare_goldens.h"
#include "conformance/forms.h"
#include "conformance/network_parameters.h"
#include "interchange/import.h"

namespace shardscope::conformance {

namespace {

/// The rules and the mesh of one layout.
struct Ground {
    LogicalRules rules;
    MeshPtr mesh;
};

Result<Ground> groundOf(const Json& oneCase, const Json& file)
{
    const Json& sets = file.at("rule_sets");
    const auto set = std::find_if(
        sets.begin(), sets.end(), [&](const Json& each) { return each.at("id") == oneCase.at("rule_set"); });
    if (set == sets.end())
        throw std::runtime_error("no rule set " + oneCase.at("rule_set").dump());
    std::vector<MeshAxis> axes;
    for (const Json& axis : oneCase.at("mesh"))
        axes.push_back({ axis.at(0), axis.at(1) });
    SHARDSCOPE_TRY(mesh, Mesh::create(std::move(axes)));
    return Ground{ toRules(set->at("rules")), std::make_shared<const Mesh>(std::move(*mesh)) };
}

/// The row of a table as people write it, and what is expected of it.
struct ExpectedRow {
    Json row;
    Json spec;
    Json shardShape; ///< null: not stated
};

Json tableRow(const std::string& path, const Json& tensor, const std::string& dtype)
{
    return { { "path", path }, { "shape", tensor.at("shape") }, { "dtype", dtype },
        { "names", tensor.at("logical_axes") } };
}

std::vector<ExpectedRow> stateRows(const Json& oneCase, const char* spec)
{
    std::vector<ExpectedRow> rows;
    for (const Json& tensor : oneCase.at("tensors"))
        for (const Json& path : tensor.at("paths"))
            rows.push_back({ tableRow(path, tensor, "float32"), tensor.at(spec), tensor.at("shard_shape") });
    return rows;
}

/// The layout as MaxText's files have it. What has no names is advisory.
MaxTextGoldens folderOf(const Ground& ground, const Json& oneCase)
{
    const std::map<std::string, DType> types{ { "bfloat16", DType::BF16 }, { "float32", DType::F32 },
        { "int8", DType::I8 }, { "int32", DType::I32 } };
    MaxTextGoldens folder;
    folder.mesh.assign(ground.mesh->axes().begin(), ground.mesh->axes().end());
    for (const Json& tensor : oneCase.at("tensors"))
        for (const std::string path : tensor.at("paths"))
            folder.state.push_back({ path, { DType::F32, toShape(tensor.at("shape")) }, true,
                toNames(tensor.at("logical_axes")), canonical(toSpec(tensor.at("spec")).value()), {} });
    std::map<std::string, int> met;
    for (const Json& each : oneCase.at("activations")) {
        std::string path = each.at("where");
        if (const int before = met[path]++; before > 0)
            path += '#' + std::to_string(before + 1);
        folder.activations.push_back({ path, { types.at(each.at("dtype")), toShape(each.at("shape")) }, true,
            toNames(each.at("logical_axes")), canonical(toSpec(each.at("spec")).value()), {} });
    }
    return folder;
}

/// What a folder of goldens loses on the way through its files, or what the rules give otherwise; "" for nothing.
std::string folderDifference(const Ground& ground, const Json& oneCase)
{
    const MaxTextGoldens folder = folderOf(ground, oneCase);
    const ReadGoldens read = readMaxTextGoldens(writeMaxTextGoldens(folder));
    if (!read)
        return "the files are refused: " + std::string(read.error().front().kind());
    if (!(*read == folder))
        return "the files are read back otherwise";
    Import import;
    import.dialect = Dialect::MaxText;
    import.rules = ground.rules;
    import.mesh = folder.mesh;
    const Result<Experiment> experiment = toExperiment(import);
    if (!experiment)
        return "no experiment: " + std::string(experiment.error().kind());
    const Result<GoldenComparison> compared = compareGoldens(*read, *experiment);
    if (!compared)
        return "not compared: " + std::string(compared.error().kind());
    for (const ComparedGolden& each : compared->arrays)
        if (each.kind != ComparedGolden::Kind::Same)
            return each.path + " has another spec";
    const std::size_t named = static_cast<std::size_t>(std::count_if(folder.activations.begin(),
        folder.activations.end(), [](const GoldenArray& array) { return array.names.has_value(); }));
    if (!compared->mesh.empty() || compared->arrays.size() != folder.state.size() + named)
        return "not all arrays are compared";
    return {};
}

/// The first row that resolves to something else; "" if there is none.
std::string tableDifference(const Ground& ground, Dialect dialect, const std::vector<ExpectedRow>& rows)
{
    Json text = Json::array();
    for (const ExpectedRow& each : rows)
        text.push_back(each.row);
    const ReadTable table = readTable(text.dump());
    if (!table)
        return "the table is refused: " + std::string(table.error().front().kind());
    Import import;
    import.dialect = dialect;
    import.rules = ground.rules;
    import.mesh.assign(ground.mesh->axes().begin(), ground.mesh->axes().end());
    import.rows = table->rows;
    const Result<Experiment> experiment = toExperiment(import);
    if (!experiment)
        return "no experiment: " + std::string(experiment.error().kind());
    const Result<ResolvedArrays> resolved = resolveArrays(*experiment, ground.mesh);
    if (!resolved)
        return "not resolved: " + std::string(resolved.error().kind());
    if (resolved->arrays.size() != rows.size())
        return "the table has " + std::to_string(resolved->arrays.size()) + " rows";
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const ResolvedArray& array = resolved->arrays[i];
        const ExpectedRow& expected = rows[i];
        const std::string path = expected.row.at("path");
        if (!array.layout)
            return path + " has no layout";
        const std::size_t rank = array.layout->shape().size();
        if (std::string found = difference(expected.spec, listsJson(array.spec, rank), path); !found.empty())
            return found;
        if (expected.shardShape.is_null())
            continue;
        Json shardShape = Json::array();
        for (const std::int64_t size : array.layout->shardShape())
            shardShape.push_back(size);
        if (std::string found = difference(expected.shardShape, shardShape, path + " shard_shape"); !found.empty())
            return found;
    }
    return {};
}

/// Of a model that the product has: every tensor is one of its parameters, of the same shape, names and spec.
std::string presetDifference(const Ground& ground, const Json& oneCase)
{
    const AxisNames names =
        oneCase.at("date").get<std::string>() < "2026-04" ? AxisNames::MaxText2025 : AxisNames::MaxText;
    const Result<Network> network = maxTextNetwork(presetOf(oneCase.at("model")), names);
    if (!network)
        return {};
    const std::vector<NetworkArray> arrays = resolveNetwork(*network, ground.rules, *ground.mesh);
    for (const Json& tensor : oneCase.at("tensors"))
        for (const std::string path : tensor.at("paths")) {
            if (path == "step") // no parameter
                continue;
            constexpr std::string_view collection = "params/"; // of Flax: variables["params"]
            const std::string own = path.starts_with(collection) ? path.substr(collection.size()) : path;
            const auto array =
                std::find_if(arrays.begin(), arrays.end(), [&](const NetworkArray& each) { return each.path == own; });
            if (array == arrays.end())
                return "the network has no " + own;
            Json shape = Json::array();
            for (const std::int64_t size : array->shape)
                shape.push_back(size);
            if (std::string found = difference(tensor.at("shape"), shape, own); !found.empty())
                return found;
            if (array->names != toNames(tensor.at("logical_axes")))
                return own + " has other names";
            if (!array->spec)
                return own + " has no spec: " + array->problem;
            if (std::string found = difference(tensor.at("spec"), listsJson(*array->spec, array->shape.size()), own);
                !found.empty())
                return found;
        }
    return {};
}

} // namespace

CaseResult checkMaxTextGoldens(const Json& oneCase, const Json& file)
{
    const Result<Ground> ground = groundOf(oneCase, file);
    if (!ground)
        return CaseResult::failed("no mesh: " + std::string(ground.error().kind()));
    for (std::string found : { folderDifference(*ground, oneCase),
             tableDifference(*ground, Dialect::MaxText, stateRows(oneCase, "effective_spec")),
             presetDifference(*ground, oneCase) })
        if (!found.empty())
            return CaseResult::failed(std::move(found));
    const NetworkArrays arrays(ground->rules, *ground->mesh);
    CaseResult result;
    for (const Json& tensor : oneCase.at("tensors")) {
        ++result.specs;
        const LogicalNames names = toNames(tensor.at("logical_axes")).value_or(LogicalNames());
        const NetworkArrays::Comparison met = arrays.compare(names, tensor.at("spec"));
        if (!met.difference.empty())
            return CaseResult::failed(met.difference);
        result.specsOfParameters += met.parameters > 0 ? 1 : 0;
    }
    return result;
}

} // namespace shardscope::conformance
