// SPDX-License-Identifier: GPL-3.0-or-later
// The arguments of a diagnostic as they stand in sentences.
#pragma once

#include "experiment/rule_lists.h"
#include "words/tr.h"
#include "words/words.h"

namespace shardscope::words {

[[nodiscard]] inline QString quoted(const QString& text)
{
    return QStringLiteral("“") + text + QStringLiteral("”");
}

class Reader {
public:
    explicit Reader(const Diagnostic& diagnostic)
        : m_diagnostic(diagnostic)
    {
    }
    QString operator()(std::string_view name) const { return fromStd(m_diagnostic.text(name)); }
    QString quote(std::string_view name) const { return quoted((*this)(name)); }
    QString number(std::string_view name) const { return count(m_diagnostic.number(name)); }
    QString size(std::string_view name) const { return bytes(static_cast<double>(m_diagnostic.number(name))); }
    bool has(std::string_view name) const { return m_diagnostic.arg(name) && !m_diagnostic.text(name).empty(); }
    QString tensor() const
    {
        return m_diagnostic.where.path.empty() ? Words::tr("the array") : tensorName(m_diagnostic.where.path);
    }
    /// The number of a rule, with the part of the model that its list is for: "2", "2 within decoder/layer_1".
    QString rule(std::string_view name) const { return inItsList(m_diagnostic.number(name)); }
    /// What a list of mesh axes belongs to: the tensor, "rule 2", or "the array".
    QString subject() const
    {
        if (!m_diagnostic.where.path.empty())
            return tensor();
        if (const std::int64_t rule = ruleNumber(); rule > 0)
            return Words::tr("rule %1").arg(inItsList(rule));
        return tensor();
    }
    /// The rule that the diagnostic is about, from 1; 0 if it is about none.
    std::int64_t ruleNumber() const
    {
        if (const auto place = rulePlaceOf(m_diagnostic.where.pointer); place && place->rule >= 0)
            return place->rule + 1;
        return m_diagnostic.number("rule");
    }
    /// The name of `known` that was meant by `name`, quoted; empty if there is none.
    QString nearest(std::string_view name, std::string_view known) const
    {
        const std::string found = nearestName(m_diagnostic.text(name), m_diagnostic.list(known));
        return found.empty() ? QString() : quoted(fromStd(found));
    }
    /// "x", or "x and 3 more" where a finding concerns several.
    QString tensors() const
    {
        const std::int64_t more = m_diagnostic.number("tensors") - 1;
        return more < 1 ? tensor() : Words::tr("%1 and %2 more").arg(tensor(), count(more));
    }
    /// "hidden", or "dimension 1" when it has no name.
    QString dimension() const
    {
        return has("dim_name") ? (*this)("dim_name") : Words::tr("dimension %1").arg(number("dim"));
    }

private:
    QString inItsList(std::int64_t rule) const
    {
        const QString number = count(rule);
        return has("within")
            ? Words::tr("%1 within %2", "number of a rule, part of the model").arg(number, (*this)("within"))
            : number;
    }

    const Diagnostic& m_diagnostic;
};

} // namespace shardscope::words
