// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare_view/pin_choices.h"

#include <QHeaderView>
#include <QTableView>
#include <algorithm>

#include "views/panel/panel.h"
#include "views/widgets/boxes.h"
#include "views/widgets/plain_tip.h"
#include "views/widgets/row_table.h"

namespace shardscope {

PinChoicesModel::PinChoicesModel(QObject* parent)
    : ColumnModel(parent)
{
    setColumns({ { tr("What can be A"), [this](int row) { return choice(row).name; } },
        { tr("Kind"), [this](int row) { return choice(row).about; } } });
}

void PinChoicesModel::setChoices(std::vector<PinChoice> choices)
{
    const bool same = std::equal(
        choices.begin(), choices.end(), m_choices.begin(), m_choices.end(), [](const PinChoice& a, const PinChoice& b) {
            return a.name == b.name && a.about == b.about && a.path == b.path;
        });
    refill(same, [&] { m_choices = std::move(choices); });
}

QVariant PinChoicesModel::cell(int row, int column, int role) const
{
    if (role == Qt::ToolTipRole)
        return plainTip(choice(row).path.isEmpty() ? text(row, column) : choice(row).path);
    return role == Qt::ForegroundRole && column == About ? QVariant(Theme::current().secondary) : QVariant();
}

PinChoices::PinChoices(QWidget* parent)
    : QWidget(parent)
    , m_model(new PinChoicesModel(this))
    , m_table(new QTableView)
{
    auto* sentence =
        new RoleLabel(tr("Whatever is open is compared with A. Choose A here, or pin what is open now and edit on."),
            RoleLabel::Size::Normal, RoleLabel::Wrapped);
    makeListTable(m_table, m_model, tr("What can be compared with"));
    m_table->horizontalHeader()->setStretchLastSection(false);
    m_table->horizontalHeader()->setSectionResizeMode(PinChoicesModel::Name, QHeaderView::Stretch);
    m_table->horizontalHeader()->setSectionResizeMode(PinChoicesModel::About, QHeaderView::ResizeToContents);
    m_table->setToolTip(tr("Return pins it as A."));
    vbox(this, {}, 0, { vbox({ 8, 4, 8, 8 }, 0, { sentence }), m_table });
    setFocusProxy(m_table);
    connect(m_model, &QAbstractItemModel::modelReset, this, [this] {
        constexpr int most = 6; // what is below has the rest
        const int rows = std::min(m_model->rowCount(), most) * m_table->verticalHeader()->defaultSectionSize();
        m_table->setFixedHeight(rows + m_table->horizontalHeader()->sizeHint().height());
    });
    connect(m_table, &QTableView::activated, this, [this](const QModelIndex& index) {
        const std::function<void()> pin = m_model->choice(index.row()).pin; // the list may be another one then
        pin();
    });
}

} // namespace shardscope
