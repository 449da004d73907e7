// SPDX-License-Identifier: GPL-3.0-or-later
// The parameters of the product's transformers, as rules resolve them on a mesh: what reference cases are held against
// that state the logical axes of an array, but not the network that it is from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conformance/checker.h"
#include "experiment/builtin.h"

namespace shardscope::conformance {

/// A transformer, built.
struct Network {
    ModelSetting model;
    Program program;
};

/// A parameter, or an array of the optimizer for one.
struct NetworkArray {
    std::string path; ///< "params/decoder/layers/mlp/wo/kernel"
    Role role = Role::Parameter;
    Shape shape;
    LogicalNames names; ///< one per dimension
    std::optional<PartitionSpec> spec; ///< absent: the product has none, for `problem`
    std::string problem; ///< the kind of error
};

/// Train steps with Adam in the names of T5X and of MaxText 2025 and 2026: layers unrolled, and scanned with "layers"
/// as their first and as their second dimension; dense, and with experts; with rotary and with learned positions. Built
/// once.
[[nodiscard]] const std::vector<Network>& trainedNetworks();
/// The preset of a model as MaxText names it: "llama3.1-70b" has the sizes of llama3-70b.
[[nodiscard]] std::string presetOf(const std::string& model);
/// A preset in MaxText's form: layers scanned, "layers" as the second dimension. Errors: UnknownValue.
[[nodiscard]] Result<Network> maxTextNetwork(std::string_view preset, AxisNames names);

/// Every parameter and optimizer array under the rules, in the program's order.
[[nodiscard]] std::vector<NetworkArray> resolveNetwork(
    const Network& network, const LogicalRules& rules, const Mesh& mesh);

/// All arrays of trainedNetworks() under the rules.
class NetworkArrays {
public:
    NetworkArrays(const LogicalRules& rules, const Mesh& mesh);

    struct Comparison {
        int parameters = 0; ///< with these names, all of them as expected
        std::string difference; ///< of the first that is not; also one of an optimizer array
    };
    /// `expected`: a list of axes or null per dimension.
    [[nodiscard]] Comparison compare(const LogicalNames& names, const Json& expected) const;

private:
    std::vector<NetworkArray> m_arrays;
};

} // namespace shardscope::conformance
