// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/program_view/graph_measure.h"

#include <QFontMetricsF>
#include <QHash>
#include <algorithm>
#include <cmath>
#include <utility>

#include "views/theme/theme.h"

namespace shardscope {

GraphMeasure graphMeasure(const GraphWords& words, const ProgramOutline& outlineOf)
{
    const auto pixels = [size = Metrics::scaled(12)](int at12) { return std::round(at12 * size / 12.0); };
    const QFont title = Metrics::semibold(), small = Metrics::small(), fixed = Metrics::fixed();
    const auto widths = std::make_shared<QHash<std::pair<QChar, QString>, double>>();
    const auto widthOf = [widths](const QString& text, const QFont& font, QChar kind) {
        double& width = (*widths)[{ kind, text }];
        if (width == 0)
            width = std::ceil(QFontMetricsF(font).horizontalAdvance(text));
        return width;
    };
    const GraphWords* stated = &words;
    const ProgramOutline* outline = &outlineOf;
    GraphMeasure measure;
    const auto widthOfSpans = [=](const words::Text& text) {
        double width = 0;
        for (const words::Span& span : text) {
            QFont face =
                span.style == words::Span::Style::Strong || span.style == words::Span::Style::Plain ? small : fixed;
            if (span.style == words::Span::Style::Axis || span.style == words::Span::Style::Strong)
                face.setWeight(QFont::DemiBold);
            width += widthOf(span.text, face, QChar(u'0' + static_cast<char16_t>(span.style)));
        }
        return width;
    };
    const auto collectiveSize = [=](const QString& name, int number) {
        return QSizeF(std::max(widthOf(name, title, u't'), widthOfSpans(stated->collectiveFigure(number))) + pixels(20),
            pixels(38));
    };
    measure.collective = [=](int number) { return collectiveSize(stated->collectiveTitle(number), number); };
    measure.folded = [=](int part) {
        const ProgramPart& of = outline->part(part);
        if (of.kind == PartKind::Operation)
            if (const int number = stated->collectives().ofOperation(of.operation); number >= 0) {
                const double arrow = of.children.empty() ? 0 : pixels(14);
                return collectiveSize(stated->title(part), number) + QSizeF(arrow, 0);
            }
        double width = widthOf(stated->title(part), title, u't') + pixels(24);
        if (of.kind == PartKind::Operation) {
            const bool pin = !of.children.empty() || stated->isConstraint(of.operation); // or an arrow
            return QSizeF(std::max(pixels(48), width + (pin ? pixels(14) : 0)), pixels(28));
        }
        width = std::max(width + pixels(16), widthOf(stated->subtitle(part), small, u's') + pixels(36));
        return QSizeF(std::max(pixels(120), width), pixels(44));
    };
    measure.head = [=](int part) {
        return widthOf(stated->title(part), title, u't') + widthOf(stated->counts(part), small, u's') + pixels(64);
    };
    measure.value = [=](ValueId value, int more, int level) {
        return QSizeF(
            std::max(pixels(28), widthOf(stated->valueName(value, level, more), small, u's') + pixels(16)), pixels(22));
    };
    measure.results = [=](int count) {
        return QSizeF(widthOf(stated->results(count), small, u's') + pixels(20), pixels(22));
    };
    measure.label = [=](OperationId operation) {
        const int part = outline->partOfOperation[operation.index];
        return widthOfSpans(stated->label(operation, outline->part(part).parent));
    };
    measure.shape = [=](ValueId value) { return widthOfSpans(stated->shape(value)); };
    measure.headHeight = pixels(26);
    measure.padding = pixels(16);
    measure.labelHeight = pixels(18);
    measure.sizes = { pixels(14), pixels(6), pixels(22), pixels(12), pixels(8), pixels(1200), 1.8, pixels(28) };
    return measure;
}

} // namespace shardscope
