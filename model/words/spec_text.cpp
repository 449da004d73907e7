// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/spec_text.h"

#include <QStringList>

#include "sharding/text.h"
#include "words/utf8.h"

namespace shardscope::words {

QString specText(const TensorRow& row)
{
    const QString text = fromStd(toColumn(row.spec));
    QStringList axes;
    for (const AxisRef& axis : row.layout.sharding().unreduced)
        axes << fromStd(toString(row.layout.mesh(), axis));
    return axes.isEmpty() ? text : text + QStringLiteral(" Σ ") + axes.join(QStringLiteral(", "));
}

} // namespace shardscope::words
