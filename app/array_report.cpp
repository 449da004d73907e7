// SPDX-License-Identifier: GPL-3.0-or-later
#include "array_report.h"

#include <QCryptographicHash>
#include <cmath>
#include <cstring>

#include <nlohmann/json.hpp>

#include "sharding/layout.h"
#include "simulate/check/compare.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::cli {

using kernels::Array;

namespace {

Json summaryJson(const Array& array)
{
    if (!isTensor(array.type.dtype))
        return nullptr;
    Json out{ { "shape", sizesOf(array.type.shape) }, { "dtype", std::string(name(array.type.dtype)) } };
    const auto bytes = static_cast<qsizetype>(array.bytes ? array.type.byteCount() : 0);
    const QByteArrayView view(reinterpret_cast<const char*>(array.data()), bytes);
    out["sha256"] =
        QCryptographicHash::hash(QByteArray::fromRawData(view.data(), view.size()), QCryptographicHash::Sha256)
            .toHex()
            .toStdString();
    std::int64_t least = -1, greatest = -1, notFinite = 0;
    double low = 0, high = 0, mean = 0;
    const std::int64_t count = array.bytes ? array.count() : 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const double number = kernels::numberAt(array, i);
        if (!std::isfinite(number)) {
            ++notFinite;
            continue;
        }
        const auto seen = static_cast<double>(i + 1 - notFinite);
        mean += number / seen - mean / seen; // a sum may be too large for a number where its mean is not
        if (least < 0 || number < low) {
            least = i;
            low = number;
        }
        if (greatest < 0 || number > high) {
            greatest = i;
            high = number;
        }
    }
    if (least >= 0) {
        out["min"] = scalarJson(elementOf(array, least));
        out["max"] = scalarJson(elementOf(array, greatest));
        out["mean"] = mean;
    }
    out["not_finite"] = notFinite;
    return out;
}

bool sameBytes(const Array& a, const Array& b)
{
    const std::int64_t bytes = a.type.byteCount();
    return bytes == 0 || !a.bytes || !b.bytes || std::memcmp(a.data(), b.data(), static_cast<std::size_t>(bytes)) == 0;
}

} // namespace

void ArrayTexts::describe(Json& json, const Array& array)
{
    if (isTensor(array.type.dtype) && (m_all || array.count() <= maxListedElements)) {
        m_texts.push_back(arrayText(array.type, array.data()));
        json["value"] = "\x01" + std::to_string(m_texts.size() - 1);
    }
    json["summary"] = summaryJson(array);
}

Json ArrayTexts::described(const Array& array)
{
    Json json = Json::object();
    describe(json, array);
    return json;
}

std::string ArrayTexts::print(const Json& json) const
{
    const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
    constexpr std::string_view member = "\"value\": ";
    std::string out;
    std::size_t from = 0;
    for (std::size_t i = 0; i < m_texts.size(); ++i) { // in the order in which they stand
        const std::string mark = std::string(member) + "\"\\u0001" + std::to_string(i) + '"';
        const std::size_t at = text.find(mark, from);
        out.append(text, from, at - from).append(member).append(m_texts[i]);
        from = at + mark.size();
    }
    return out.append(text, from);
}

Json scalarJson(const Array& scalar)
{
    if (scalar.type.dtype == DType::Pred)
        return kernels::numberAt(scalar, 0) != 0 ? 1 : 0;
    return Json::parse(elementText(scalar.type.dtype, scalar.data()), nullptr, false);
}

void printArray(Console& console, const Array& array, const QString& indent)
{
    if (!isTensor(array.type.dtype)) {
        console.line(indent + QStringLiteral("no array"));
        return;
    }
    for (const std::string& line : arrayLines(array.type, array.data()))
        console.line(indent + words::fromStd(line));
}

void printShards(
    Console& console, const QString& name, const kernels::Arrays& shards, const ShardedArray& how, const MeshPtr& mesh)
{
    console.line(QStringLiteral("  ") + name);
    if (!isTensor(how.type.dtype))
        return;
    const Layout layout(how.over(mesh), how.sharding, how.type.shape);
    for (std::int64_t shard = 0; shard < layout.distinctShards(); ++shard) {
        const Shape held = layout.shardShape();
        QStringList ranges;
        for (const IndexRange& range : layout.rangesOfShard(shard)) {
            const std::int64_t padding = held[static_cast<std::size_t>(ranges.size())] - range.size();
            ranges << (range.size() == 0 ? (padding == 0 ? QStringLiteral("none") : QStringLiteral("padding"))
                    : padding == 0
                    ? words::range(range.begin, range.end)
                    : QStringLiteral("%1 + %2 padding").arg(words::range(range.begin, range.end)).arg(padding));
        }
        std::vector<std::int32_t> left = layout.holders(shard);
        while (!left.empty()) {
            const Array& first = shards[static_cast<std::size_t>(left.front())];
            std::vector<std::int32_t> same, others;
            for (const std::int32_t device : left)
                (sameBytes(first, shards[static_cast<std::size_t>(device)]) ? same : others).push_back(device);
            console.line(QStringLiteral("    %1: [%2]").arg(words::devices(same), ranges.join(QStringLiteral(", "))),
                Emphasis::Faint);
            printArray(console, first, QStringLiteral("      "));
            left = std::move(others);
        }
    }
}

} // namespace shardscope::cli
