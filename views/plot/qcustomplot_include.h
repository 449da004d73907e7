// SPDX-License-Identifier: GPL-3.0-or-later
// QCustomPlot's header, for the sources of plot/ alone. It uses Qt's keywords, which the rest of the project switches
// off, and includes all of QtPrintSupport, which costs seconds per file: both are put right here.
#pragma once

#pragma push_macro("signals")
#pragma push_macro("slots")
#pragma push_macro("emit")
#pragma push_macro("foreach")
#undef signals
#undef slots
#undef emit
#undef foreach
#define signals Q_SIGNALS
#define slots Q_SLOTS
#define emit Q_EMIT
#define foreach Q_FOREACH

// What the header takes from QtPrintSupport's umbrella header, whose guard is then set.
#include <QApplication>
#include <QFont>
#include <QLocale>
#include <QMap>
#include <QPen>
#include <QVariant>
#include <QtMath>
#define QT_QTPRINTSUPPORT_MODULE_H

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Woverloaded-virtual"
#include <qcustomplot.h>
#pragma GCC diagnostic pop

#pragma pop_macro("signals")
#pragma pop_macro("slots")
#pragma pop_macro("emit")
#pragma pop_macro("foreach")
