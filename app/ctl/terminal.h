// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/error.h"
#include "models/contract/reason.h"

#include <QCoreApplication>
#include <QJsonObject>
#include <QStringList>
#include <QTextStream>

namespace unavez::ctl {

// The context of this program's own words; sentences on reasons and errors stand in ui/text.
struct Ctl
{
    Q_DECLARE_TR_FUNCTIONS(Ctl)
};

// contract.md §13.3
enum class Exit { Done = 0, Refused = 1, Usage = 2, NoStore = 3, Problems = 4, InPart = 5 };

// Where answers go: one JSON object on stdout with --json, else text; errors on stderr in the same two shapes.
class Terminal
{
public:
    Terminal(QTextStream& out, QTextStream& err, bool json);

    bool wantsJson() const { return m_json; }
    QTextStream& text() { return m_out; }
    void answer(const QJsonObject& object);

    Exit usage(const QString& message);
    Exit failed(const contract::Error& error);
    Exit noStore(const contract::Error& error); // the store or its schema is not there
    void warn(const QString& message); // on stderr, in text only: --json readers see the answer and the exit code
    Exit refused(const contract::Because& because);
    Exit refused(const QString& message, const QString& reasonCode = {});

private:
    void problem(const QString& kind, const QString& reason, const QString& message);

    QTextStream& m_out;
    QTextStream& m_err;
    bool m_json;
};

// Columns as wide as their widest cell; the last one runs free. Control characters of hostile rows do not reach the
// tty.
QString aligned(const QList<QStringList>& rows, int indent = 2);
QString printable(const QString& text);

} // namespace unavez::ctl
