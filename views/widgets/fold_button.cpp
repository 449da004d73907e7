// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/fold_button.h"

#include "views/theme/icons.h"
#include "views/theme/style.h"
#include "views/theme/theme.h"

namespace shardscope {

FoldButton::FoldButton(const QString& name, QWidget* parent)
    : QToolButton(parent)
{
    setText(name);
    setAccessibleName(name);
    setToolTip(tr("Folds and unfolds what is below"));
    setCheckable(true);
    setAutoRaise(true);
    setQuiet(this); // the arrow says it
    setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    setIconSize({ Metrics::scaled(10), Metrics::scaled(10) });
    connect(this, &QToolButton::toggled, this, &FoldButton::showArrow);
    showArrow();
}

void FoldButton::showArrow()
{
    setIcon(shardscope::icon(isChecked() ? QStringLiteral("down") : QStringLiteral("right")));
}

} // namespace shardscope
