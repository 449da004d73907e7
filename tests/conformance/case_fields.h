// SPDX-License-Identifier: GPL-3.0-or-later
// What becomes of every field of a reference case: it is given, asserted, or not asserted for a reason. The table is
// fields.json, beside unsupported.json:
//
//     { "about": ["id", "status", "note"],
//       "files": { "uneven": { "given": ["dim", "shards"], "asserted": ["valid_ranges"],
//                              "not_asserted": { "a sentence of JAX": ["message_template"] } } } }
//
// A field is named by the keys that lead to it, with dots between them; "*" stands for the places of lists in each
// other, and for one key of any name. A name holds for all that is within; the longest one that fits counts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conformance/checker.h"

namespace shardscope::conformance {

/// The keys and places that lead to a value without members of its own.
struct CaseLeaf {
    Json::json_pointer at;
    std::vector<std::string> path; ///< places of lists as "*"
    const Json* value = nullptr; ///< in the case
};
[[nodiscard]] std::vector<CaseLeaf> leavesOf(const Json& oneCase);
/// "expect.functions.*.ops"
[[nodiscard]] std::string nameOfPath(const std::vector<std::string>& path);

struct CaseField {
    enum class Use { About, Given, Asserted, NotAsserted };
    std::string name;
    std::vector<std::string> path;
    Use use = Use::Given;
    std::string reason; ///< why it is not asserted
};

class CaseFields {
public:
    /// Of one file, by its name without ".json". Throws what nlohmann::json throws, and std::runtime_error for a file
    /// that the table lacks and for a field that it has twice.
    CaseFields(const Json& table, const std::string& stem);
    /// Null where the table does not say.
    [[nodiscard]] const CaseField* of(const CaseLeaf& leaf) const;
    [[nodiscard]] const std::vector<CaseField>& all() const { return m_fields; }
    /// The first field of a case of which the table says nothing.
    [[nodiscard]] std::optional<std::string> unknownField(const Json& oneCase) const;

private:
    void add(const Json& names, CaseField::Use use, const std::string& reason = {});
    std::vector<CaseField> m_fields;
};

} // namespace shardscope::conformance
