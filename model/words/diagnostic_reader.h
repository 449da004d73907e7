// SPDX-License-Identifier: GPL-3.0-or-later
// The arguments of a diagnostic as they stand in sentences.
#pragma once

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
    const Diagnostic& m_diagnostic;
};

} // namespace shardscope::words
