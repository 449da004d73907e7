// SPDX-License-Identifier: GPL-3.0-or-later
// t5x_local_chunker, t5x_data_layout and t5x_partitioner.
#include <algorithm>

#include "conformance/forms.h"
#include "rules/local_chunker.h"
#include "rules/t5x_partitioner.h"

namespace shardscope::conformance {

namespace {

/// A mesh whose devices have hosts: `mesh_ids` nested by axis, `axis_names`, `device_process`.
struct HostedMesh {
    Mesh mesh;
    std::vector<std::int32_t> hosts; ///< by mesh position
};

void flatten(const Json& json, std::vector<std::int32_t>& ids)
{
    if (!json.is_array()) {
        ids.push_back(json.get<std::int32_t>());
        return;
    }
    for (const Json& item : json)
        flatten(item, ids);
}

Result<HostedMesh> toHostedMesh(const Json& oneCase)
{
    std::vector<MeshAxis> axes;
    const Json* level = &oneCase.at("mesh_ids");
    for (const Json& name : oneCase.at("axis_names")) {
        axes.push_back({ name.get<std::string>(), static_cast<std::int64_t>(level->size()) });
        level = &level->at(0);
    }
    std::vector<std::int32_t> ids;
    flatten(oneCase.at("mesh_ids"), ids);
    std::vector<std::int32_t> hosts;
    for (const std::int32_t id : ids)
        hosts.push_back(oneCase.at("device_process").at(std::to_string(id)).get<std::int32_t>());
    Result<Mesh> mesh = Mesh::createOver(std::move(axes), std::move(ids));
    if (!mesh)
        return tl::unexpected(std::move(mesh.error()));
    return HostedMesh{ std::move(*mesh), std::move(hosts) };
}

/// One entry: null, an axis, or a list of axes.
SpecEntry toEntry(const Json& json)
{
    if (json.is_null())
        return SpecEntry::none();
    return json.is_array() ? SpecEntry::tuple(json.get<std::vector<std::string>>())
                           : SpecEntry::axis(json.get<std::string>());
}

Json sliceJson(const LocalChunk& chunk)
{
    Json json = Json::array();
    for (const std::optional<IndexRange>& range : chunk.slice)
        json.push_back(range ? Json{ range->begin, range->end } : Json(nullptr));
    return json;
}

Result<LocalChunk> chunkOf(const LocalChunker& chunker, const Json& query)
{
    const Result<PartitionSpec> spec = toSpec(query.at("mesh_axes"));
    if (!spec)
        return tl::unexpected(spec.error());
    return chunker.chunk(query.at("shape").get<std::vector<std::int64_t>>(), *spec);
}

Json chunkerJson(const LocalChunker& chunker, const Json& oneCase)
{
    Json actual;
    const Mesh& mesh = chunker.mesh();
    for (std::size_t axis = 0; axis < mesh.rank(); ++axis) {
        if (oneCase.contains("num_chunks"))
            actual["num_chunks"][mesh.axis(axis).name] = chunker.chunks(axis);
        if (oneCase.contains("chunk_ids"))
            actual["chunk_ids"][mesh.axis(axis).name] = chunker.chunkId(axis);
    }
    if (oneCase.contains("queries")) {
        actual["queries"] = Json::array();
        for (Json query : oneCase.at("queries")) {
            query.erase("slice");
            query.erase("replica_id");
            if (const Result<LocalChunk> chunk = chunkOf(chunker, query)) {
                query["slice"] = sliceJson(*chunk);
                query["replica_id"] = chunk->replica;
            } else {
                query["error"] = chunk.error().kind();
            }
            actual["queries"].push_back(std::move(query));
        }
    }
    if (oneCase.contains("ids")) {
        actual["ids"] = Json::array();
        for (const Json& query : oneCase.at("ids")) {
            const auto axes = query.at("axes").get<std::vector<std::string>>();
            const Result<std::int64_t> shard = chunker.shardId(axes);
            actual["ids"].push_back(
                { { "axes", query.at("axes") }, { "shard_id", shard ? Json(*shard) : Json(shard.error().kind()) },
                    { "replica_id", chunker.replicaId(axes) } });
        }
    }
    if (oneCase.contains("error")) // results where an error is expected
        actual["error"] = nullptr;
    if (oneCase.contains("error_query")) {
        Json query = oneCase.at("error_query");
        const Result<LocalChunk> chunk = chunkOf(chunker, query);
        query["error"] = chunk ? Json(nullptr) : errorLike(query.at("error"), chunk.error());
        actual["error_query"] = std::move(query);
    }
    return actual;
}

Json errorOf(const Json& oneCase, const Error& error)
{
    return { { "error", errorLike(oneCase.value("error", Json()), error) } };
}

std::optional<std::vector<std::int64_t>> toSizes(const Json& args, const char* key)
{
    if (!args.contains(key) || args.at(key).is_null())
        return std::nullopt;
    return args.at(key).get<std::vector<std::int64_t>>();
}

/// A parameter tree: null, or a list of names per parameter.
CaseResult checkGetMeshAxes(const Json& oneCase)
{
    const LogicalRules rules = toRules(oneCase.at("rules"));
    Json expected = Json::object();
    for (const auto& [parameter, json] : oneCase.at("tree").items()) {
        const std::optional<LogicalNames> names = toNames(json);
        if (!names) {
            expected[parameter] = nullptr;
            continue;
        }
        const Result<Resolution> resolution = resolve(*names, rules, FlaxVersion::Current);
        if (resolution) {
            expected[parameter] = toJson(resolution->spec());
            continue;
        }
        const Error failed = failedToMap(parameter, resolution.error());
        Json error = errorLike(oneCase.value("error", Json()), failed);
        if (error.is_object()) // the parameter's name, under whatever name
            for (const char* key : { "param", "param_name", "name" })
                if (oneCase["error"].contains(key))
                    error[key] = failed.text("parameter");
        return compareMembers(oneCase, { { "error", error } });
    }
    return compareMembers(oneCase, { { "expected", expected } });
}

} // namespace

CaseResult checkT5xLocalChunker(const Json& oneCase, const Json&)
{
    const Result<HostedMesh> hosted = toHostedMesh(oneCase);
    if (!hosted)
        return unexpectedError(hosted.error());
    const Result<LocalChunker> chunker = LocalChunker::create(hosted->mesh, hosted->hosts, oneCase.at("process"));
    if (!chunker)
        return compareMembers(oneCase, errorOf(oneCase, chunker.error()));
    return compareMembers(oneCase, chunkerJson(*chunker, oneCase));
}

CaseResult checkT5xDataLayout(const Json& oneCase, const Json&)
{
    const Result<HostedMesh> hosted = toHostedMesh(oneCase);
    if (!hosted)
        return unexpectedError(hosted.error());
    const SpecEntry axis = toEntry(oneCase.at("data_axis"));
    const auto host = oneCase.at("process").get<std::int32_t>();
    const Json& batch = oneCase.at("batch_size");

    Json actual;
    if (oneCase.contains("data_mesh_size")) {
        const Result<std::int64_t> size = dataMeshSize(hosted->mesh, axis);
        actual["data_mesh_size"] = size ? Json(*size) : Json(size.error().kind());
    }
    if (oneCase.contains("data_shards")) {
        const Result<LocalChunker> chunker = LocalChunker::create(hosted->mesh, hosted->hosts, host);
        actual["data_shards"] = chunker ? Json(*dataShards(*chunker, axis)) : Json(chunker.error().kind());
    }
    const Result<DataLayout> layout = dataLayout(hosted->mesh, hosted->hosts, host, axis,
        batch.is_null() ? std::nullopt : std::optional(batch.get<std::int64_t>()));
    if (!layout) {
        actual.update(errorOf(oneCase, layout.error()));
        return compareMembers(oneCase, actual);
    }
    actual["expected"] = { { "batch_size", layout->batchSize ? Json(*layout->batchSize) : Json(nullptr) },
        { "shard_id", layout->shardId }, { "num_shards", layout->shards },
        { "is_first_host_in_replica_set", layout->firstHostInReplicaSet } };
    return compareMembers(oneCase, actual);
}

CaseResult checkT5xPartitioner(const Json& oneCase, const Json&)
{
    const std::string kind = oneCase.value("kind", "");
    if (kind == "get_mesh_axes")
        return checkGetMeshAxes(oneCase);
    if (!kind.empty())
        return CaseResult::unsupported("kind " + kind);
    const Json& args = oneCase.at("args");
    PartitionerSettings settings;
    if (args.contains("num_partitions") && !args.at("num_partitions").is_null())
        settings.partitions = args.at("num_partitions").get<std::int64_t>();
    settings.submesh = toSizes(args, "model_parallel_submesh");
    settings.iciShape = toSizes(args, "ici_mesh_shape");
    settings.dcnShape = toSizes(args, "dcn_mesh_shape");
    if (!oneCase.at("logical_axis_rules").is_null())
        settings.rules = toRules(oneCase.at("logical_axis_rules"));
    const Result<Partitioner> partitioner = makePartitioner(settings);
    if (!partitioner)
        return compareMembers(oneCase, errorOf(oneCase, partitioner.error()));
    Json logged = Json::array();
    for (const Diagnostic& diagnostic : partitioner->logged)
        logged.push_back(diagnostic.kind());
    return compareMembers(oneCase,
        { { "rules", toJson(partitioner->rules) }, { "data_axis", toJson(partitioner->dataAxis) },
            { "data_partition_spec", toJson(partitioner->dataSpec()) }, { "logged_errors", logged } });
}

} // namespace shardscope::conformance
