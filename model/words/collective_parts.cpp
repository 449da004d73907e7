// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/collective_parts.h"

#include "words/collective_words.h"
#include "words/definitions.h"
#include "words/links.h"

namespace shardscope::words {

Sentence::Part valuePart(const Program& program, ValueId value, ValueId partOf)
{
    if (partOf.valid())
        if (const QString name = partName(program, value, partOf, operandName(program, partOf)); !name.isEmpty())
            return { name, valueLink(program, partOf) };
    QString name = operandName(program, value);
    bool isNumber = false;
    (void)name.toDouble(&isNumber);
    if (isNumber && program.value(value).path.empty())
        name = Words::tr("the constant %1").arg(name);
    else if (!name.isEmpty() && name[0].isDigit() && !program.value(value).path.empty())
        name.prepend(QLatin1Char('%'));
    return { name.isEmpty() ? Words::tr("a value") : name, valueLink(program, value) };
}

Sentence::Part shardingPart(const TensorSharding& sharding, const CollectiveEntry& entry)
{
    return { shardingForm(sharding, *entry.mesh), {}, Span::Style::Code };
}

QString dimensionNameOf(const Program& program, ValueId value, std::size_t dimension)
{
    const Value& v = program.value(value);
    return dimension < v.dimNames.size() && !v.dimNames[dimension].empty() ? fromStd(v.dimNames[dimension])
                                                                           : Words::tr("dimension %1").arg(dimension);
}

} // namespace shardscope::words
