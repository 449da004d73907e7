// SPDX-License-Identifier: GPL-3.0-or-later
// A document with an analysed experiment, for tests of views.
#pragma once

#include <QFile>
#include <QLabel>
#include <QRegularExpression>
#include <QTest>

#include "document/document.h"
#include "document/selection.h"
#include "experiment/builtin.h"
#include "experiment_file/gallery.h"

namespace shardscope::test {

/// Any warning of Qt fails the test; the offscreen platform always gives one about size limits.
inline void failOnWarnings()
{
    QTest::failOnWarning(
        QRegularExpression(QStringLiteral("^(?!This plugin does not support (propagateSizeHints|raise))")));
}

/// What a file holds; nothing where it cannot be read.
inline QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

inline Experiment example(std::string_view id)
{
    for (const Example& candidate : builtinExamples()) // those that are there before main() begins
        if (candidate.id == id)
            return candidate.make();
    const GalleryExample* found = findExample(id);
    if (!found)
        qFatal("no such example");
    return found->experiment;
}

/// The control that has that name for assistive technology, or that text on it.
template <class Widget>
Widget* named(const QObject* in, const QString& name)
{
    for (Widget* each : in->findChildren<Widget*>())
        if (each->accessibleName() == name || each->property("text").toString() == name)
            return each;
    return nullptr;
}

/// Whether a label with that text can be seen.
inline bool shows(const QWidget* in, const QString& text)
{
    const QLabel* label = named<QLabel>(in, text);
    return label && label->isVisible();
}

struct Fixture {
    Document document;
    Selection selection;

    explicit Fixture(Experiment experiment = example("flax-mlp-logical"))
    {
        document.setExperiment(std::move(experiment), {});
        document.waitForAnalysis();
    }
    [[nodiscard]] const Snapshot& snapshot() const { return *document.snapshot(); }
};

} // namespace shardscope::test
