// SPDX-License-Identifier: GPL-3.0-or-later
// Places in an experiment, in words: what a JSON pointer means to somebody who never saw the file.
// Declared in words.h.
#include "base/text.h"
#include "words/words.h"

#include <algorithm>
#include <set>

#include "experiment/model_settings.h"
#include "experiment/rule_lists.h"
#include "words/tensor_path.h"
#include "words/tr.h"

namespace shardscope::words {

namespace {

/// The parts of a JSON pointer, unescaped.
std::vector<std::string> partsOf(std::string_view pointer)
{
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin < pointer.size();) {
        const std::size_t end = std::min(pointer.find('/', begin + 1), pointer.size());
        std::string part(pointer.substr(begin + 1, end - begin - 1));
        for (const auto& [from, to] : { std::pair{ "~1", "/" }, { "~0", "~" } })
            for (std::size_t at = part.find(from); at != std::string::npos; at = part.find(from, at + 1))
                part.replace(at, 2, to);
        parts.push_back(std::move(part));
        begin = end;
    }
    return parts;
}

/// A key as it is read: "memory_per_device" -> "memory per device".
QString keyText(const std::string& key)
{
    if (key.empty())
        return QStringLiteral("“”");
    if (const auto index = wholeNumber<std::size_t>(key))
        return Words::tr("entry %1").arg(count(static_cast<qint64>(*index) + 1));
    return fromStd(key).replace(QLatin1Char('_'), QLatin1Char(' '));
}

/// "rule 3, batch", "rule 3 within decoder/layer_1, batch", "rules within decoder/layer_1".
QString ruleText(RulePlace place, const Diagnostic& diagnostic, const Experiment* experiment)
{
    const bool known = experiment && hasList(experiment->rules, place.list);
    const QString within = place.list.isOuter() ? QString()
        : known                                 ? fromStd(withinOf(experiment->rules, place.list))
                                                : fromStd(diagnostic.text("within"));
    if (place.rule < 0)
        return within.isEmpty() ? Words::tr("inner rules %1").arg(place.list.inner + 1)
                                : Words::tr("rules within %1").arg(within);
    QString rule = Words::tr("rule %1").arg(place.rule + 1);
    if (!within.isEmpty())
        rule = Words::tr("%1 within %2", "rule 3, part of the model").arg(rule, within);
    QString name;
    if (known && static_cast<std::size_t>(place.rule) < rulesIn(experiment->rules, place.list).size())
        name = fromStd(rulesIn(experiment->rules, place.list)[static_cast<std::size_t>(place.rule)].name.name);
    else if (diagnostic.number("rule") == place.rule + 1)
        name = fromStd(diagnostic.text("name"));
    return name.isEmpty() ? rule : Words::tr("%1, %2", "rule 3, batch").arg(rule, name);
}

QString meshAxisText(std::size_t index, const Diagnostic& diagnostic, const Experiment* experiment)
{
    if (experiment && index < experiment->mesh.axes.size())
        return Words::tr("mesh axis %1").arg(fromStd(experiment->mesh.axes[index].name));
    if (diagnostic.arg("axis"))
        return Words::tr("mesh axis %1").arg(fromStd(diagnostic.text("axis")));
    return Words::tr("mesh axis number %1").arg(index + 1);
}

QString arrayText(std::size_t index, const Experiment* experiment)
{
    if (experiment && index < listedArrays(*experiment).size())
        return Words::tr("array %1").arg(fromStd(listedArrays(*experiment)[index].path));
    return Words::tr("array number %1").arg(index + 1);
}

/// The pointer in words; "" for the file as such.
QString pointerText(const Diagnostic& diagnostic, const Experiment* experiment)
{
    const std::vector<std::string> parts = partsOf(diagnostic.where.pointer);
    QStringList words;
    std::size_t read = 0;
    const auto starts = [&](std::initializer_list<std::string_view> with) {
        return parts.size() >= with.size() && std::equal(with.begin(), with.end(), parts.begin());
    };
    const auto index = [&](std::size_t at) {
        return at < parts.size() ? wholeNumber<std::size_t>(parts[at]) : std::nullopt;
    };
    if (starts({ "rules", "list" })) {
        const auto number = index(2);
        words << (number ? ruleText({ {}, static_cast<int>(*number) }, diagnostic, experiment) : Words::tr("rules"));
        read = number ? 3 : 2;
    } else if (const auto place = rulePlaceOf(diagnostic.where.pointer)) {
        words << ruleText(*place, diagnostic, experiment);
        read = std::min<std::size_t>(parts.size(), place->rule >= 0 ? 5 : 3);
    } else if (starts({ "mesh", "axes" })) {
        const auto number = index(2);
        words << (number ? meshAxisText(*number, diagnostic, experiment) : Words::tr("mesh axes"));
        read = number ? 3 : 2;
    } else if (starts({ "model", "dims" })) {
        words << (parts.size() > 2 ? Words::tr("size of %1").arg(fromStd(parts[2])) : Words::tr("sizes"));
        read = std::min<std::size_t>(parts.size(), 3);
    } else if (starts({ "model", "arrays" })) {
        const auto number = index(2);
        words << (number ? arrayText(*number, experiment) : Words::tr("arrays"));
        read = number ? 3 : 2;
        if (number && parts.size() == 5 && (parts[3] == "shape" || parts[3] == "names") && index(4)) {
            words << Words::tr("dimension %1").arg(*index(4));
            read = 5;
        }
    }
    if (starts({ "model", "shardings" }) && parts.size() > 2) {
        words << Words::tr("sharding of %1").arg(fromStd(parts[2]));
        read = 3;
    }
    for (; read < parts.size(); ++read)
        words << keyText(parts[read]);
    return words.join(QStringLiteral(", "));
}

} // namespace

QString place(const Diagnostic& diagnostic, const Experiment* experiment)
{
    const Where& where = diagnostic.where;
    QStringList parts;
    if (where.line > 0)
        parts << Words::tr("line %1, column %2").arg(where.line).arg(where.column);
    QString tensor = fromStd(where.path);
    if (!tensor.isEmpty() && where.dimension >= 0)
        tensor = Words::tr("%1, dimension %2").arg(tensor, QString::number(where.dimension));
    // The size of a dimension is where the file says it; the tensor says more.
    const bool same = !tensor.isEmpty() && where.pointer.starts_with("/model/");
    if (const QString pointer = same ? QString() : pointerText(diagnostic, experiment); !pointer.isEmpty())
        parts << pointer;
    if (!tensor.isEmpty())
        parts << tensor;
    return parts.join(QStringLiteral("; "));
}

QString place(const Problem& problem, const Snapshot* snapshot, const Experiment* experiment)
{
    if (problem.values.size() < 2 || !snapshot || !snapshot->program)
        return place(problem.diagnostic, experiment);
    std::set<std::int64_t> layers;
    std::set<QString> leaves;
    for (const ValueId value : problem.values) {
        const TensorPath parts = parseTensorPath(snapshot->program->value(value).path);
        layers.insert(parts.layer);
        leaves.insert(parts.leaf);
    }
    const bool inEachLayer = leaves.size() == 1 && !layers.contains(-1) && layers.size() == problem.values.size();
    return counted(static_cast<qint64>(problem.values.size()), inEachLayer ? Noun::Layer : Noun::Tensor);
}

} // namespace shardscope::words
