// SPDX-License-Identifier: GPL-3.0-or-later
// What a checker of reference cases is, and the table of all of them.
//
// A reference file is a JSON object with a list `cases`, and perhaps a list `resolutions` of more of them; a case has
// an `id`, a `status` (contract or advisory), inputs and expected results. A checker computes the results from the
// inputs and compares every asserted field. One file per checker; to add one, write check_<name>.cpp, declare its
// function below and give it a row in checkers.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace shardscope::conformance {

using Json = nlohmann::json;

struct CaseResult {
    enum class Status { Passed, Failed, Unsupported };
    Status status = Status::Passed;
    std::string difference; ///< what differs, or what the checker does not know
    /// Expected specs that were held against the parameters of the product's networks, and those that at least one
    /// parameter has met.
    int specs = 0, specsOfParameters = 0;

    static CaseResult passed() { return {}; }
    static CaseResult failed(std::string difference) { return { Status::Failed, std::move(difference), 0, 0 }; }
    static CaseResult unsupported(std::string reason) { return { Status::Unsupported, std::move(reason), 0, 0 }; }
};

/// `oneCase` is a member of `file["cases"]` or `file["resolutions"]`; `file["folder"]` is where the file is, for
/// texts that cases refer to. May throw what nlohmann::json throws: the case counts as failed then.
using Checker = CaseResult (*)(const Json& oneCase, const Json& file);

struct CheckerRow {
    std::string_view name; ///< of the reference file, without folder and ".json"
    Checker check;
};

[[nodiscard]] std::span<const CheckerRow> checkers();
/// The checker of a file: its name is the row's, or has the row's as one of its words ("more_flax_rules-2.json").
/// The longest such row; null when there is none.
[[nodiscard]] const CheckerRow* checkerFor(std::string_view fileStem);

/// The first difference between two values, as "/path: expected ..., got ..."; "" when they are equal. Numbers compare
/// by value, so that 1 equals 1.0.
[[nodiscard]] std::string difference(const Json& expected, const Json& actual, const std::string& path = "");
/// Every member of `actual` equals the member of that name in `oneCase`, and stands there.
[[nodiscard]] CaseResult compareMembers(const Json& oneCase, const Json& actual);

CaseResult checkAxisAlgebra(const Json& oneCase, const Json& file);
CaseResult checkFactorPropagation(const Json& oneCase, const Json& file);
CaseResult checkFlaxConstraintGate(const Json& oneCase, const Json& file);
CaseResult checkFlaxLogicalToMeshAxes(const Json& oneCase, const Json& file);
CaseResult checkJaxCreateDeviceMesh(const Json& oneCase, const Json& file);
CaseResult checkJaxCreateHybridDeviceMesh(const Json& oneCase, const Json& file);
CaseResult checkJaxMakeMesh(const Json& oneCase, const Json& file);
CaseResult checkHloSharding(const Json& oneCase, const Json& file);
CaseResult checkJaxNamedSharding(const Json& oneCase, const Json& file);
CaseResult checkJaxPositionalSharding(const Json& oneCase, const Json& file);
CaseResult checkJaxShardingEquivalence(const Json& oneCase, const Json& file);
CaseResult checkJaxVisualizeSharding(const Json& oneCase, const Json& file);
CaseResult checkMaxTextGoldens(const Json& oneCase, const Json& file);
CaseResult checkMemoryKinds(const Json& oneCase, const Json& file);
CaseResult checkMlpTrainStep(const Json& oneCase, const Json& file);
CaseResult checkModels(const Json& oneCase, const Json& file);
CaseResult checkOpShardingRules(const Json& oneCase, const Json& file);
CaseResult checkProvenance(const Json& oneCase, const Json& file);
CaseResult checkPasses(const Json& oneCase, const Json& file);
CaseResult checkPenzaiNameToNameSharding(const Json& oneCase, const Json& file);
CaseResult checkPropagation(const Json& oneCase, const Json& file);
CaseResult checkCompiledCollectives(const Json& oneCase, const Json& file);
CaseResult checkCommVolume(const Json& oneCase, const Json& file);
CaseResult checkExplicitMode(const Json& oneCase, const Json& file);
CaseResult checkExplicitTypes(const Json& oneCase, const Json& file);
CaseResult checkCompiledPrograms(const Json& oneCase, const Json& file);
CaseResult checkMatmul(const Json& oneCase, const Json& file);
CaseResult checkOpCollectives(const Json& oneCase, const Json& file);
CaseResult checkRealPrograms(const Json& oneCase, const Json& file);
CaseResult checkReshard(const Json& oneCase, const Json& file);
CaseResult checkReshardToCollectives(const Json& oneCase, const Json& file);
CaseResult checkRuleResolutions(const Json& oneCase, const Json& file);
CaseResult checkShardMap(const Json& oneCase, const Json& file);
CaseResult checkStepCounts(const Json& oneCase, const Json& file);
CaseResult checkT5xCpuGpuMesh(const Json& oneCase, const Json& file);
CaseResult checkSeedNumericFacts(const Json& oneCase, const Json& file);
CaseResult checkT5xDataLayout(const Json& oneCase, const Json& file);
CaseResult checkT5xDefaultMesh(const Json& oneCase, const Json& file);
CaseResult checkT5xGetMesh(const Json& oneCase, const Json& file);
CaseResult checkT5xLocalChunker(const Json& oneCase, const Json& file);
CaseResult checkT5xPartitioner(const Json& oneCase, const Json& file);
CaseResult checkT5xStandardRules(const Json& oneCase, const Json& file);
CaseResult checkUneven(const Json& oneCase, const Json& file);
CaseResult checkVerification(const Json& oneCase, const Json& file);

} // namespace shardscope::conformance
