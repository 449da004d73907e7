// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/rules_view/edit_preview.h"

#include <QCoreApplication>
#include <algorithm>

#include "document/document.h"
#include "words/words.h"

namespace shardscope {

namespace {

struct EditPreview {
    Q_DECLARE_TR_FUNCTIONS(EditPreview)
};

std::int64_t stateBytes(const Snapshot& snapshot)
{
    std::int64_t bytes = 0;
    for (const TensorRow& row : snapshot.tensors)
        if (row.role == Role::Parameter || row.role == Role::Gradient || row.role == Role::Mu || row.role == Role::Nu)
            bytes += row.bytesPerDevice;
    return bytes;
}

} // namespace

QString editPreview(Document& document, const Experiment& after)
{
    const SnapshotPtr now = document.lastGood();
    if (!now)
        return {};
    const SnapshotPtr then = analyse(std::make_shared<const Experiment>(after), 0, document.cache());
    if (!then)
        return {};
    if (!then->ok())
        return then->problems.empty() ? QString() : words::describe(then->problems.front().diagnostic).cause;
    int weights = 0, others = 0;
    for (const TensorRow& row : then->tensors) {
        const TensorRow* before = now->row(row.path);
        if (before && before->spec == row.spec && before->layout.shardShape() == row.layout.shardShape()
            && before->copies == row.copies)
            continue;
        (row.role == Role::Parameter ? weights : others)++;
    }
    if (weights == 0 && others == 0)
        return EditPreview::tr("Nothing changes.");
    QStringList parts;
    if (weights > 0)
        parts << (weights == 1 ? EditPreview::tr("1 weight changes")
                               : EditPreview::tr("%1 weights change").arg(weights));
    else
        parts << (others == 1 ? EditPreview::tr("1 tensor changes") : EditPreview::tr("%1 tensors change").arg(others));
    const std::int64_t bytesNow = stateBytes(*now), bytesThen = stateBytes(*then);
    const auto bytes = [](std::int64_t value) { return words::bytes(static_cast<double>(value)); };
    if (bytesNow != bytesThen)
        parts << EditPreview::tr("%1 → %2 per device").arg(bytes(bytesNow), bytes(bytesThen));
    if (!(now->sent.step == then->sent.step))
        parts << EditPreview::tr("sent %1 → %2 per step")
                     .arg(words::bytes(now->sent.step), words::bytes(then->sent.step));
    return parts.join(QStringLiteral(", "));
}

} // namespace shardscope
