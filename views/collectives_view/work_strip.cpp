// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/collectives_view/work_strip.h"

#include <QPainter>
#include <QPushButton>

#include "views/panel/panel.h"
#include "views/widgets/boxes.h"
#include "words/words.h"

namespace shardscope {
namespace {
constexpr int shownAfter = 300, second = 1000; ///< milliseconds

} // namespace

WorkStrip::WorkStrip(QWidget* parent)
    : QWidget(parent)
    , m_label(new RoleLabel(RoleLabel::Size::Normal, &Theme::text, this))
    , m_button(new QPushButton(this))
{
    m_label->setElided(true);
    hbox(this, { 8, 3, 8, 3 }, styleSpacing, { { m_label, 1 }, m_button });
    hide();
    connect(&m_timer, &QTimer::timeout, this, &WorkStrip::tell);
    connect(m_button, &QPushButton::clicked, this, [this] {
        if (m_working)
            Q_EMIT cancelled();
        else
            Q_EMIT accepted();
    });
}

QString WorkStrip::text() const
{
    return m_label->text();
}

void WorkStrip::work(const QString& what)
{
    m_what = what;
    if (m_working) // it goes on, with something newer
        return;
    m_working = true;
    m_since.start();
    m_timer.start(shownAfter);
}

void WorkStrip::tell()
{
    m_timer.start(second);
    const qint64 seconds = m_since.elapsed() / second;
    m_label->setText(seconds < 1 ? tr("%1…").arg(m_what) : tr("%1, %2 s so far…").arg(m_what, words::count(seconds)));
    m_button->setText(tr("Cancel"));
    setVisible(true);
}

void WorkStrip::offer(const QString& sentence, const QString& button)
{
    m_timer.stop();
    m_working = false;
    m_label->setText(sentence);
    m_button->setText(button);
    setVisible(true);
}

void WorkStrip::rest()
{
    m_timer.stop();
    m_working = false;
    setVisible(false);
}

void WorkStrip::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), Theme::current().dockTitle);
}

} // namespace shardscope
