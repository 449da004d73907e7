// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the built executable and collects what it says. No display: a command that made a QApplication would abort.
#pragma once

#include <QByteArray>
#include <QFile>
#include <QProcess>
#include <QProcessEnvironment>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>

#include <nlohmann/json.hpp>

namespace shardscope {

struct Ran {
    int code = -1;
    QString out;
    QString error;

    [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(out.toStdString(), nullptr, false); }
};

/// No display, and a home of its own for settings.
inline QProcessEnvironment bareEnvironment(const char* platform = "there-is-no-such-platform")
{
    static const QTemporaryDir home;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.remove(QStringLiteral("DISPLAY"));
    environment.remove(QStringLiteral("WAYLAND_DISPLAY"));
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QLatin1String(platform));
    environment.insert(QStringLiteral("LC_ALL"), QStringLiteral("C.UTF-8"));
    for (const char* folder : { "HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR" })
        environment.insert(QLatin1String(folder), home.path());
    return environment;
}

/// What a process that was started has printed in the end.
inline Ran outcomeOf(QProcess& process)
{
    Ran ran;
    if (!process.waitForFinished(120'000) || process.exitStatus() != QProcess::NormalExit)
        return ran;
    ran.code = process.exitCode();
    ran.out = QString::fromUtf8(process.readAllStandardOutput());
    ran.error = QString::fromUtf8(process.readAllStandardError());
    return ran;
}

inline Ran runProgram(const QStringList& arguments, const QByteArray& input = {},
    const QProcessEnvironment& environment = bareEnvironment())
{
    QProcess process;
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(SHARDSCOPE_BINARY), arguments);
    process.write(input);
    process.closeWriteChannel();
    return outcomeOf(process);
}

inline QByteArray fileBytes(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

inline QString writeFile(const QTemporaryDir& folder, const QString& name, const QByteArray& bytes)
{
    const QString path = folder.filePath(name);
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
        qFatal("cannot write the test's file");
    return path;
}

/// An experiment file with these sections.
inline QByteArray experimentText(const QByteArray& sections)
{
    return "{ \"format\": \"sharding-experiment\", \"version\": \"1.0\",\n  " + sections + "\n}\n";
}

/// A notebook-like MLP that is quick to run, with something replaced.
inline QByteArray smallMlp(const QByteArray& from = {}, const QByteArray& to = {})
{
    QByteArray text = experimentText(R"("title": "Small MLP",
  "mesh": { "axes": [["data", 2], ["model", 4]] },
  "rules": { "version": "2024", "bound_when_traced": false, "list": [["batch", "data"], ["hidden", "model"]] },
  "model": { "preset": "mlp", "layers": 2, "dims": { "batch": 8, "embed": 16, "hidden": 32 }, "axes": "device" },
  "run": { "runs": 3, "loops": 2 })");
    return from.isEmpty() ? text : text.replace(from, to);
}

} // namespace shardscope
