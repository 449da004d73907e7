// SPDX-License-Identifier: GPL-3.0-or-later
// Going on after what is wrong with the meaning of a text, where all of it is asked for.
// A part of Reader, which is declared in reader.h.
#include <algorithm>

#include "base/codes.h"
#include "program/known_operations.h"
#include "stablehlo/reader.h"

namespace shardscope::mlir {

bool Reader::goOn()
{
    std::vector<Diagnostic>* findings = m_options.findings;
    if (!findings || !m_firstError.error || findings->size() >= maximumFindings)
        return false;
    findings->push_back(std::move(*m_firstError.error));
    m_firstError.error.reset();
    return true;
}

bool Reader::wrong(Code code, std::vector<Arg> args, std::size_t position)
{
    return m_scanner.problem(code, std::move(args), position) || goOn();
}

bool Reader::keepFaulty(Pending& op)
{
    if (m_firstError.error) {
        // The results need types: what uses them is read as well.
        const std::size_t wanted = op.results.empty() ? op.resultTypes.size() : op.resultCount();
        if (op.resultTypes.empty() && wanted == 1 && !op.operandTypes.empty())
            op.resultTypes.push_back(op.operandTypes.back());
        if (op.resultTypes.size() != wanted || !goOn())
            return false;
    }
    dropUndefined(op.operands);
    op.kept.clear();
    (void)isOpaque(op);
    if (knownOperation(op.name)) // nothing is asked of its operands and results any more
        op.made = otherAttributes(OpaqueAttributes{ "faulty." + std::string(op.name) });
    return true;
}

ValueId Reader::undefinedValue()
{
    const std::string text = "!unknown";
    const auto [found, added] = m_otherTypes.emplace(text, static_cast<std::uint32_t>(m_program.otherTypes.size()));
    if (added)
        m_program.otherTypes.push_back(text);
    const ValueId value(m_program.values.size());
    m_program.values.emplace_back().type = { DType::Other, {}, found->second };
    m_undefined.push_back(value);
    return value;
}

bool Reader::isUndefined(ValueId value) const
{
    return !m_undefined.empty() && std::binary_search(m_undefined.begin(), m_undefined.end(), value);
}

bool Reader::isDoubtful(ValueId value) const
{
    return isUndefined(value) || std::binary_search(m_doubtful.begin(), m_doubtful.end(), value);
}

void Reader::dropUndefined(std::vector<ValueId>& values) const
{
    if (!m_undefined.empty())
        std::erase_if(values, [&](ValueId value) { return isUndefined(value); });
}

} // namespace shardscope::mlir
