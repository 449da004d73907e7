// SPDX-License-Identifier: GPL-3.0-or-later
#include "document/atomic_file.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

#include "base/codes.h"

namespace shardscope {

namespace {

Error about(Code code, const QString& path, std::vector<Arg> args)
{
    return Diagnostic{ code, std::move(args), Where{ .file = path.toStdString(), .pointer = {}, .path = {} } };
}

Error unreadable(const QString& path, const QString& reason)
{
    return about(Code::Unreadable, path, { { "file", path.toStdString() }, { "reason", reason.toStdString() } });
}

} // namespace

Result<QByteArray> readFile(const QString& path, qint64 limit)
{
    QFile file(path);
    if (QFileInfo(path).isDir())
        return tl::unexpected(unreadable(path, QCoreApplication::translate("shardscope::Document", "it is a folder")));
    if (!file.open(QIODevice::ReadOnly))
        return tl::unexpected(unreadable(path, file.errorString()));
    if (file.size() > limit)
        return tl::unexpected(
            about(Code::TooLarge, path, { { "what", "file" }, { "bytes", file.size() }, { "limit", limit } }));
    // A device or a pipe has no size: what comes out of it is bounded all the same.
    QByteArray content;
    while (content.size() <= limit) {
        const QByteArray part = file.read(qint64{ 1 } << 20);
        if (part.isEmpty()) {
            if (file.error() != QFileDevice::NoError)
                return tl::unexpected(unreadable(path, file.errorString()));
            return content;
        }
        content += part;
    }
    return tl::unexpected(about(Code::TooLarge, path, { { "what", "file" }, { "limit", limit } }));
}

Result<void> writeAtomically(const QString& path, std::string_view text)
{
    const auto size = static_cast<qint64>(text.size());
    const auto write = [&](QFileDevice& file) {
        return file.open(QIODevice::WriteOnly) && file.write(text.data(), size) == size && file.flush();
    };
    QString reason;
    if (const QFileInfo info(path); info.exists() && !info.isFile()) { // a device or a pipe must not be replaced
        QFile file(path);
        if (write(file))
            return {};
        reason = file.errorString();
    } else {
        QSaveFile file(path);
        if (write(file) && file.commit())
            return {};
        reason = file.errorString();
    }
    return fail(Code::Unwritable, { { "file", path.toStdString() }, { "reason", reason.toStdString() } });
}

} // namespace shardscope
