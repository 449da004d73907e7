// SPDX-License-Identifier: GPL-3.0-or-later
#include "conformance/program_case.h"

#include <algorithm>
#include <stdexcept>

#include "conformance/program_case_attributes.h"
#include "program/program_mesh.h"

namespace shardscope::conformance {

namespace {

ProgramMesh programMesh(std::string name, const Json& json, bool inlined)
{
    std::vector<MeshAxis> axes;
    for (const Json& axis : json.at("axes"))
        axes.push_back({ axis.at("name").get<std::string>(), axis.at("size").get<std::int64_t>() });
    std::optional<std::vector<std::int64_t>> ids;
    if (json.contains("device_ids") && json["device_ids"].is_array())
        ids = json["device_ids"].get<std::vector<std::int64_t>>();
    return declaredMesh(std::move(name), std::move(axes), std::move(ids), inlined);
}

std::string edgesText(const Json& json)
{
    if (!json.is_array())
        return json.dump();
    std::string text = "#sdy.propagation_edges<[";
    for (std::size_t value = 0; value < json.size(); ++value) {
        if (!json[value].is_array())
            return json.dump();
        text += value == 0 ? "{" : ", {";
        for (std::size_t s = 0; s < json[value].size(); ++s) {
            const Json& step = json[value][s];
            text += (s == 0 ? "step-" : ", step-") + std::to_string(step.at("step").get<int>()) + " = [";
            for (std::size_t e = 0; e < step.at("edges").size(); ++e) {
                const Json& edge = step["edges"][e];
                const Json& axis = edge.at("axis");
                text += (e == 0 ? "{\"" : ", {\"") + axis.at("name").get<std::string>() + "\"";
                if (!axis.at("pre").is_null())
                    text += ":(" + axis["pre"].dump() + ")" + axis.at("size").dump();
                text += " = " + edge.at("source").get<std::string>() + " -> [";
                for (std::size_t t = 0; t < edge.at("targets").size(); ++t)
                    text += (t == 0 ? "" : ", ") + edge["targets"][t].get<std::string>();
                text += "]}";
            }
            text += "]";
        }
        text += "}";
    }
    return text + "]>";
}

class CaseBuilder {
public:
    explicit CaseBuilder(const Json& oneCase)
    {
        m_readers.sharding = [this](const Json& json) { return sharding(json); };
        m_readers.axes = [this](std::uint32_t mesh, const Json& json) { return axes(mesh, json); };
        Program& program = m_case.program;
        program.name = oneCase.value("id", "");
        program.scopes = { "" };
        for (const auto& [name, mesh] : oneCase.at("meshes").items())
            program.meshes.push_back(programMesh(name, mesh, false));
        std::vector<const Json*> functions;
        for (const Json& function : oneCase.at("functions"))
            functions.push_back(&function);
        const auto main = std::find_if(
            functions.begin(), functions.end(), [](const Json* function) { return function->at("name") == "main"; });
        if (main != functions.end())
            std::rotate(functions.begin(), main, main + 1);
        for (const Json* function : functions)
            addFunction(*function);
    }
    ProgramCase finish() && { return std::move(m_case); }

private:
    void addFunction(const Json& json)
    {
        Function function;
        function.name = json.at("name").get<std::string>();
        function.isPublic = json.value("visibility", "public") != "private";
        if (json.contains("attrs"))
            function.originalName = json["attrs"].value("sdy.original_func_name", "");
        FunctionIds& ids = m_case.functions[function.name];
        function.body = addRegion(json.at("args"), json.at("ops"), ids);
        const Region& body = m_case.program.regions[function.body.index];
        if (body.results.size() != json.at("results").size())
            throw std::runtime_error("a function that returns another number of values");
        for (const Json& result : json["results"])
            function.resultShardings.push_back(index(result.at("sharding")));
        m_case.program.functions.push_back(std::move(function));
    }

    RegionId addRegion(const Json& arguments, const Json& operations, FunctionIds& ids)
    {
        Program& program = m_case.program;
        const RegionId id(program.regions.size());
        program.regions.emplace_back();
        Region region;
        for (const Json& argument : arguments) {
            const ValueId value = addValue(type(argument.at("type")), {}, region.arguments.size());
            if (argument.contains("sharding"))
                program.valueShardings[value.index] = index(argument["sharding"]);
            ids.values[argument.at("id").get<std::string>()] = value;
            region.arguments.push_back(value);
        }
        for (const Json& operation : operations)
            if (isTerminator(operation)) {
                for (const Json& operand : operation.at("operands"))
                    region.results.push_back(ids.values.at(operand.get<std::string>()));
                ids.terminators[operation.at("id").get<int>()] = id;
            } else
                region.operations.push_back(addOperation(operation, ids));
        program.regions[id.index] = std::move(region);
        return id;
    }

    static bool isTerminator(const Json& operation)
    {
        const std::string& name = operation.at("op").get_ref<const std::string&>();
        return name == "func.return" || name == "stablehlo.return" || name == "sdy.return";
    }

    OperationId addOperation(const Json& json, FunctionIds& ids)
    {
        Program& program = m_case.program;
        const OperationId id(program.operations.size());
        program.operations.emplace_back();
        Operation operation;
        const int number = json.at("id").get<int>();
        operation.kind = parseOpKind(json.at("op").get<std::string>()).value_or(OpKind::Opaque);
        for (const Json& operand : json.at("operands"))
            operation.operands.push_back(ids.values.at(operand.get<std::string>()));
        for (const Json& result : json.at("result_types")) {
            const ValueId value = addValue(type(result), id, operation.results.size());
            ids.values["v" + std::to_string(number) + "." + std::to_string(operation.results.size())] = value;
            operation.results.push_back(value);
        }
        Json rest;
        operation.attributes = readAttributes(operation.kind, json,
            operation.operands.empty() ? TensorType() : program.value(operation.operands[0]).type,
            operation.results.empty() ? TensorType() : program.value(operation.results[0]).type, m_readers, rest);
        Dictionary extra = dictionary(rest);
        addShardings(json.at("sharding"), id, operation);
        if (json.contains("sharding_rule"))
            extra.push_back({ "sdy.sharding_rule",
                "#sdy.op_sharding_rule<" + json["sharding_rule"].at("string").get<std::string>() + ">" });
        if (!extra.empty()) {
            operation.extra = static_cast<std::uint32_t>(program.dictionaries.size());
            program.dictionaries.push_back(std::move(extra));
        }
        for (const Json& region : json.value("regions", Json::array()))
            operation.regions.push_back(addRegion(region.at("args"), region.at("ops"), ids));
        if (operation.kind == OpKind::VariadicReduce && !operation.regions.empty())
            orderReducer(program.regions[operation.regions[0].index], operation.operands.size() / 2);
        program.operations[id.index] = std::move(operation);
        ids.operations[number] = id;
        return id;
    }

    /// The cases list the arguments of a reducer in pairs, as its text does: (a0, b0), (a1, b1). The body has all first
    /// ones before all second ones.
    void orderReducer(Region& body, std::size_t count)
    {
        if (body.arguments.size() != 2 * count)
            return;
        const std::vector<ValueId> pairs = body.arguments;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const std::size_t to = i / 2 + (i % 2) * count;
            body.arguments[to] = pairs[i];
            m_case.program.values[pairs[i].index].index = static_cast<std::uint32_t>(to);
        }
    }

    static Dictionary dictionary(const Json& rest)
    {
        Dictionary result;
        for (const auto& [name, value] : rest.items())
            result.push_back({ name, name == "sdy.propagation_edges" ? edgesText(value) : value.dump() });
        return result;
    }

    void addShardings(const Json& list, OperationId id, const Operation& operation)
    {
        if (!list.is_array())
            return;
        std::vector<ShardingIndex> shardings;
        for (const Json& sharding : list)
            shardings.push_back(index(sharding));
        if (shardings.size() != operation.results.size()) {
            m_case.program.unmatchedShardings.push_back({ id, std::move(shardings) });
            return;
        }
        for (std::size_t i = 0; i < shardings.size(); ++i)
            m_case.program.valueShardings[operation.results[i].index] = shardings[i];
    }

    ValueId addValue(TensorType type, OperationId definition, std::size_t index)
    {
        Value value;
        value.type = std::move(type);
        value.definition = definition;
        value.index = static_cast<std::uint32_t>(index);
        m_case.program.values.push_back(std::move(value));
        m_case.program.valueShardings.push_back(0);
        return ValueId(m_case.program.values.size() - 1);
    }

    TensorType type(const Json& json)
    {
        const std::string kind = json.at("kind").get<std::string>();
        if (kind == "token")
            return { DType::Token, {} };
        if (kind != "tensor")
            return otherType(json.at("text").get<std::string>());
        const std::string element = json.at("dtype").get<std::string>();
        const std::optional<DType> dtype = parseDType(element);
        if (!dtype)
            return otherType("tensor<" + element + ">");
        TensorType result{ *dtype, {} };
        for (const Json& size : json.at("shape"))
            result.shape.push_back(size.is_null() ? dynamicSize : size.get<std::int64_t>());
        return result;
    }
    TensorType otherType(const std::string& text)
    {
        std::vector<std::string>& texts = m_case.program.otherTypes;
        texts.push_back(text);
        return { DType::Other, {}, static_cast<std::uint32_t>(texts.size() - 1) };
    }

    ShardingIndex index(const Json& json)
    {
        if (!json.is_object())
            return 0;
        const ProgramSharding found = sharding(json);
        std::vector<ProgramSharding>& all = m_case.program.shardings;
        const auto known = std::find(all.begin(), all.end(), found);
        if (known != all.end())
            return static_cast<ShardingIndex>(known - all.begin() + 1);
        all.push_back(found);
        return static_cast<ShardingIndex>(all.size());
    }

    ProgramSharding sharding(const Json& json)
    {
        ProgramSharding result;
        result.mesh = mesh(json.at("mesh"));
        for (const Json& dim : json.at("dims")) {
            DimensionSharding& made = result.sharding.dims.emplace_back();
            made.axes = axes(result.mesh, dim.at("axes"));
            made.open = dim.at("open").get<bool>();
            if (!dim.at("priority").is_null())
                made.priority = dim["priority"].get<std::int32_t>();
        }
        result.sharding.replicated = axes(result.mesh, json.at("replicated"));
        result.sharding.unreduced = axes(result.mesh, json.at("unreduced"));
        const std::string kind = json.value("unreduced_op", "sum");
        result.unreducedKind = kind == "max" ? ReduceKind::Max : kind == "min" ? ReduceKind::Min : ReduceKind::Sum;
        return result;
    }

    std::uint32_t mesh(const Json& json)
    {
        std::vector<ProgramMesh>& meshes = m_case.program.meshes;
        std::optional<ProgramMesh> inlined;
        if (json.is_object())
            inlined = programMesh("", json.at("inline"), true);
        const auto found = std::find_if(meshes.begin(), meshes.end(), [&](const ProgramMesh& declared) {
            return inlined ? declared == *inlined : !declared.inlined && declared.name == json.get<std::string>();
        });
        if (found != meshes.end())
            return static_cast<std::uint32_t>(found - meshes.begin());
        if (inlined) {
            meshes.push_back(std::move(*inlined));
            return static_cast<std::uint32_t>(meshes.size() - 1);
        }
        meshes.push_back(undeclaredMesh(json.get<std::string>()));
        return static_cast<std::uint32_t>(meshes.size() - 1);
    }

    AxisList axes(std::uint32_t mesh, const Json& list)
    {
        AxisList result;
        for (const Json& json : list) {
            std::optional<SubAxis> part;
            if (!json.at("pre").is_null())
                part = SubAxis{ json["pre"].get<std::int64_t>(), json.at("size").get<std::int64_t>() };
            result.push_back(
                axisReference(m_case.program.meshes[mesh], json.at("name").get_ref<const std::string&>(), part));
        }
        return result;
    }

    ProgramCase m_case;
    ShardingReaders m_readers;
};

} // namespace

tl::expected<ProgramCase, std::string> buildProgram(const Json& oneCase)
{
    try {
        return CaseBuilder(oneCase).finish();
    } catch (const std::exception& problem) {
        return tl::unexpected<std::string>(problem.what());
    }
}

} // namespace shardscope::conformance
