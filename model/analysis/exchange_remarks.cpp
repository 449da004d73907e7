// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/exchange_remarks.h"

#include <algorithm>
#include <optional>

namespace shardscope {

namespace {

using RemarkKind = ExchangeRemark::Kind;

bool isPredictedAlone(const ExchangeRow& row)
{
    return row.compiled.times == 0 && row.predicted.times > 0;
}

bool isCompiledAlone(const ExchangeRow& row)
{
    return row.predicted.times == 0 && row.compiled.times > 0;
}

/// How often `small` fits `large`; 0 if not exactly.
std::int64_t timesWithin(std::int64_t small, std::int64_t large)
{
    return small > 0 && large % small == 0 ? large / small : 0;
}

/// How alike two rows have to be, the most alike first.
enum class Likeness : std::uint8_t { OtherShape, Parts, OtherAxes };

/// Whether rows that are alike in that way are joined, and what is to be said of it then.
std::optional<std::vector<ExchangeRemark>> joinedBy(
    Likeness likeness, const ExchangeRow& predicted, const ExchangeRow& compiled)
{
    using Remarks = std::vector<ExchangeRemark>;
    const bool sameAxes = predicted.axes == compiled.axes, sameSize = predicted.elements == compiled.elements;
    if (predicted.exchange != compiled.exchange || sameAxes != (likeness != Likeness::OtherAxes))
        return std::nullopt;
    const std::int64_t ours = predicted.predicted.times, theirs = compiled.compiled.times;
    switch (likeness) {
    case Likeness::OtherShape:
        return sameSize ? std::optional(Remarks()) : std::nullopt;
    case Likeness::Parts:
        // As many passes over the parts as over the array, or several times as many.
        if (const std::int64_t parts = timesWithin(compiled.elements, predicted.elements);
            parts > 1 && timesWithin(saturatingProduct(parts, ours), theirs) > 0)
            return Remarks{ { RemarkKind::PerLayer, parts } };
        if (const std::int64_t parts = timesWithin(predicted.elements, compiled.elements);
            parts > 1 && timesWithin(saturatingProduct(parts, theirs), ours) > 0)
            return Remarks{ { RemarkKind::AtOnce, parts } };
        return std::nullopt;
    case Likeness::OtherAxes:
        return sameSize && ours == theirs ? std::optional(Remarks{ { RemarkKind::OtherAxes, 0 } }) : std::nullopt;
    }
    return std::nullopt;
}

bool has(const std::vector<std::string>& list, std::string_view text)
{
    return std::find(list.begin(), list.end(), text) != list.end();
}

/// Element types, each once, in one order.
std::vector<std::string> elementTypes(const std::vector<std::string>& types)
{
    std::vector<std::string> found;
    for (const std::string& type : types)
        if (std::string element = type.substr(0, type.find('[')); !has(found, element))
            found.push_back(std::move(element));
    std::sort(found.begin(), found.end());
    return found;
}

/// "[14336, 4096]" of "bf16[14336, 4096]" as sorted sizes.
std::vector<std::int64_t> sortedSizes(const ExchangeSide& side)
{
    std::vector<std::int64_t> sizes;
    std::string_view text = side.types.empty() ? std::string_view() : std::string_view(side.types.front());
    text.remove_prefix(std::min(text.size(), text.find('[')));
    for (std::int64_t size = -1; const char c : text)
        if (c >= '0' && c <= '9') {
            size = std::max<std::int64_t>(size, 0) * 10 + (c - '0');
        } else if (size >= 0) {
            sizes.push_back(size);
            size = -1;
        }
    std::sort(sizes.begin(), sizes.end());
    return sizes;
}

/// Both rows have both sides, and the counts of each are those of the other.
bool agreeCrosswise(const ExchangeRow& a, const ExchangeRow& b)
{
    return a.exchange == b.exchange && a.axes == b.axes && a.elements == b.elements && a.cause.empty()
        && b.cause.empty() && a.predicted.times == b.compiled.times && b.predicted.times == a.compiled.times
        && a.predicted.times != a.compiled.times && a.predicted.times > 0 && b.predicted.times > 0
        && sortedSizes(a.predicted) == sortedSizes(b.predicted);
}

} // namespace

void swapTransposed(std::vector<ExchangeRow>& rows)
{
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t k = i + 1; k < rows.size(); ++k)
            if (agreeCrosswise(rows[i], rows[k])) {
                std::swap(rows[i].compiled, rows[k].compiled);
                std::swap(rows[i].weight, rows[k].weight);
                break;
            }
}

void joinLeftOver(std::vector<ExchangeRow>& rows)
{
    for (const Likeness likeness : { Likeness::OtherShape, Likeness::Parts, Likeness::OtherAxes })
        for (ExchangeRow& predicted : rows) {
            if (!isPredictedAlone(predicted))
                continue;
            for (ExchangeRow& compiled : rows) {
                if (!isCompiledAlone(compiled))
                    continue;
                const auto remarks = joinedBy(likeness, predicted, compiled);
                if (!remarks)
                    continue;
                predicted.compiled = std::move(compiled.compiled);
                compiled.compiled = {};
                if (likeness == Likeness::OtherAxes)
                    predicted.compiledAxes = compiled.axes;
                predicted.remarks.insert(predicted.remarks.end(), compiled.remarks.begin(), compiled.remarks.end());
                predicted.remarks.insert(predicted.remarks.end(), remarks->begin(), remarks->end());
                break;
            }
        }
    std::erase_if(rows, [](const ExchangeRow& row) { return row.predicted.times == 0 && row.compiled.times == 0; });
}

void addRemarks(ExchangeRow& row, bool endsEarly)
{
    const ExchangeSide &ours = row.predicted, &theirs = row.compiled;
    const auto add = [&](RemarkKind kind, std::int64_t number = 0) { row.remarks.push_back({ kind, number }); };
    if (ours.times == 0 || theirs.times == 0) {
        add(ours.times == 0 ? RemarkKind::OnlyCompiled : endsEarly ? RemarkKind::NotInText : RemarkKind::OnlyPredicted);
    } else {
        const bool scatters = has(ours.kinds, "reduce_scatter"), reduces = has(ours.kinds, "all_reduce");
        if (scatters && !reduces && has(theirs.kinds, "all_reduce") && theirs.slicedAfterwards > 0)
            add(RemarkKind::SlicedAfterwards);
        else if (scatters && !reduces && !has(theirs.kinds, "reduce_scatter"))
            add(RemarkKind::KeptInFull);
        else if (reduces && !scatters && has(theirs.kinds, "reduce_scatter"))
            add(RemarkKind::Scattered);
        if (elementTypes(ours.types) != elementTypes(theirs.types))
            add(RemarkKind::OtherTypes);
        // Parts are counted as what they are parts of.
        std::int64_t expected = ours.times, found = theirs.times;
        for (const ExchangeRemark& remark : row.remarks) {
            if (remark.kind == RemarkKind::PerLayer)
                expected = saturatingProduct(expected, remark.number);
            if (remark.kind == RemarkKind::AtOnce)
                found = saturatingProduct(found, remark.number);
        }
        if (ours.timesKnown && theirs.timesKnown && expected != found)
            add(found > expected ? RemarkKind::MoreOften : RemarkKind::LessOften,
                found > expected ? timesWithin(expected, found) : timesWithin(found, expected));
    }
    if (theirs.merged > 0)
        add(RemarkKind::Merged);
    if (!ours.timesKnown || !theirs.timesKnown)
        add(RemarkKind::TimesUnknown);
    std::stable_sort(row.remarks.begin(), row.remarks.end(),
        [](const ExchangeRemark& a, const ExchangeRemark& b) { return a.kind < b.kind; });
}

} // namespace shardscope
