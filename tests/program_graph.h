// SPDX-License-Identifier: GPL-3.0-or-later
// Programs, their outline, words and layout together, without a window.
#pragma once

#include <QString>
#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "geometry/graph_layout.h"
#include "networks/mlp.h"
#include "program/builder.h"
#include "words/graph_words.h"

namespace shardscope::test {

/// A program of random operations on a few of the newest values.
inline Program randomProgram(unsigned seed, int operations)
{
    std::mt19937 random(seed);
    Builder builder("random");
    const TensorType type{ DType::F32, { 8 } };
    std::vector<ValueId> values{ builder.argument(type, "a", Role::Input), builder.argument(type, "b", Role::Input) };
    const auto pick = [&] {
        const std::size_t reach = random() % 5 == 0 ? values.size() : std::min<std::size_t>(values.size(), 6);
        return values[values.size() - 1 - random() % reach];
    };
    for (int i = 0; i < operations; ++i) {
        if (random() % 12 == 0)
            builder.setScope(
                random() % 3 == 0 ? std::string() : "part" + std::to_string(i) + (random() % 2 == 0 ? "/inner" : ""));
        switch (random() % 4) {
        case 0:
            values.push_back(builder.unary(OpKind::Tanh, pick()));
            break;
        case 1:
            values.push_back(builder.constant(type, static_cast<double>(i)));
            break;
        default:
            values.push_back(builder.binary(random() % 2 == 0 ? OpKind::Add : OpKind::Multiply, pick(), pick()));
        }
    }
    builder.result(values.back());
    builder.result(values[values.size() / 2]);
    return std::move(builder).finish();
}

inline Program mlp(int layers = 4)
{
    MlpSettings settings;
    settings.layers = layers;
    return buildMlp(settings).value();
}

struct Graph {
    ProgramPtr program;
    std::shared_ptr<const ProgramOutline> outline;
    GraphWords words;
    GraphLayout layout;

    /// `row`: what is shorter stays in one row.
    explicit Graph(Program of, double row = 1200)
        : program(std::make_shared<const Program>(std::move(of)))
        , outline(std::make_shared<const ProgramOutline>(ProgramOutline::build(*program)))
        , words(program, outline)
        , layout(program, outline, measure(row))
    {
    }
    [[nodiscard]] GraphMeasure measure(double row) const
    {
        GraphMeasure measure;
        measure.sizes.row = row;
        measure.collective = [](int) { return QSizeF(90, 38); };
        const ProgramOutline* of = outline.get();
        measure.folded = [of](int part) {
            return of->part(part).kind == PartKind::Operation ? QSizeF(60 + part % 7 * 9, 28)
                                                              : QSizeF(120 + part % 5 * 11, 44);
        };
        measure.head = [](int) { return 150.0; };
        measure.value = [](ValueId value, int, int) { return QSizeF(30 + value.index % 4 * 20, 22); };
        measure.results = [](int) { return QSizeF(80, 22); };
        measure.label = [](OperationId operation) { return operation.index % 3 * 50.0; };
        measure.shape = [](ValueId value) { return value.index % 5 * 30.0; };
        return measure;
    }
    void openAll()
    {
        std::vector<int> all;
        for (int part = 0; part < static_cast<int>(outline->parts.size()); ++part)
            all.push_back(part);
        layout.setOpenParts(all);
    }
    void openSome(unsigned seed)
    {
        std::mt19937 random(seed);
        std::vector<int> some{ 0 };
        for (int part = 1; part < static_cast<int>(outline->parts.size()); ++part)
            if (random() % 2 == 0)
                some.push_back(part);
        layout.setOpenParts(some);
    }
    template <class Visit>
    void forEachLevel(Visit visit) const
    {
        for (int part = 0; part < static_cast<int>(outline->parts.size()); ++part)
            if (const GraphLevel* level = layout.level(part))
                visit(part, *level);
    }
    /// "Layer 0 (6): ...", a line per part, operations left out.
    [[nodiscard]] QStringList lines(int part = 0, int depth = 0) const
    {
        QStringList lines;
        for (const int child : outline->part(part).children)
            if (outline->isContainer(child)) {
                lines << QString(2 * depth, QChar(u' ')) + words.title(child) + QStringLiteral(" | ")
                        + words.subtitle(child).replace(QChar(0x2009), QChar(u' '));
                if (outline->part(child).kind != PartKind::Repeat)
                    lines << this->lines(child, depth + 1);
            }
        return lines;
    }
};

} // namespace shardscope::test
