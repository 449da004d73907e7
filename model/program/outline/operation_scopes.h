// SPDX-License-Identifier: GPL-3.0-or-later
// The names of the parts that operations stand in, outermost first: their scopes, or what their locations in a text say
// of them.
//
//     scope "backward/layers.3"                                             backward, layers.3
//     location "jit(step)/jit(main)/transpose(jvp(Net))/layer_3/dot"(#loc4)  backward, Net, layer_3
//
// Locations that name a place in a source file alone say nothing of parts; where it is, is known besides. A constant
// without a name, and what is made of such alone, belongs to what comes next: such are made for each who reads them.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "program/program.h"

namespace shardscope {

using ScopeNames = std::vector<std::string>;

/// "a/b/c"; slashes within brackets do not part names.
[[nodiscard]] ScopeNames scopeNames(std::string_view scope);
/// Of a location, without the operation that its name ends in.
[[nodiscard]] ScopeNames locationNames(std::string_view location);

/// A place in a source file, from the outside in.
struct SourceNames {
    std::string package; ///< the outermost folder, or the file
    std::string file; ///< without folders; empty if the location names none
    std::string line; ///< "model.py:12"
};

/// The first place that the location names, which is the innermost one.
[[nodiscard]] SourceNames sourceNames(std::string_view location);

class OperationScopes {
public:
    explicit OperationScopes(const Program& program);
    /// Never null.
    [[nodiscard]] const ScopeNames* of(OperationId operation) const { return m_names[operation.index]; }
    /// How many names all of the operations begin with alike.
    [[nodiscard]] std::size_t shared(const std::vector<OperationId>& operations) const;

private:
    std::vector<ScopeNames> m_scopes; ///< by index of the scope
    std::unordered_map<std::string_view, ScopeNames> m_locations;
    std::vector<const ScopeNames*> m_names; ///< by operation
};

} // namespace shardscope
