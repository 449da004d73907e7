// SPDX-License-Identifier: GPL-3.0-or-later
// What the readers of tables share: cells to values, and the collection of errors.
#pragma once

#include <optional>
#include <unordered_set>

#include "interchange/parameter_table.h"
#include "sharding/literal.h"

namespace shardscope {

class TableBuilder {
public:
    [[nodiscard]] bool full() const { return m_errors.size() >= maximumFindings; }
    void report(Diagnostic error)
    {
        if (!full())
            m_errors.push_back(std::move(error));
    }
    void unknownKey(Diagnostic warning) ///< UnknownKey
    {
        if (m_table.warnings.size() < maximumFindings)
            m_table.warnings.push_back(std::move(warning));
        else
            ++m_unknownKeys;
    }
    [[nodiscard]] bool rightSoFar() const { return m_errors.empty(); }

    /// Sizes of a shape: whole numbers from 1 to 2^40 each, 16 at most.
    [[nodiscard]] std::optional<std::int64_t> size(std::string_view digits, const Where& where);
    [[nodiscard]] std::optional<DType> dtype(std::string_view name, const Where& where);
    void wrongType(const char* key, std::string_view expected, const Literal& found);
    void tooMany(const char* what, const Literal& list, std::size_t limit);
    /// A list of sizes.
    [[nodiscard]] std::optional<Shape> shape(const Literal& cell);
    /// A row; cells that could not be read, which has been said, are absent. What else is wrong with it is said
    /// nevertheless. The places are those of its cells.
    struct Row {
        std::string path;
        std::optional<Shape> shape;
        std::optional<DType> dtype;
        std::optional<LogicalNames> names;
    };
    struct Places {
        Where begin; ///< of the row
        Where path;
        Where shape;
        Where names;
    };
    void add(Row row, const Places& places);

    [[nodiscard]] ReadTable finish();

private:
    static constexpr std::size_t maximumFindings = 50; ///< errors, and warnings

    ParameterTable m_table;
    std::vector<Diagnostic> m_errors;
    std::size_t m_rows = 0; ///< wrong ones as well
    std::size_t m_unknownKeys = 0; ///< of which the table has no warning
    std::unordered_set<std::string> m_paths;
};

/// "float32", as NumPy and JAX print a type; StableHLO's own name where they have none.
[[nodiscard]] std::string_view numpyName(DType dtype);

/// A string literal of JSON, which is one of Python as well.
[[nodiscard]] std::string quotedJson(std::string_view text);

inline constexpr std::size_t maximumTableRank = 16;

} // namespace shardscope
