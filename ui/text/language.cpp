// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/sentences.h"

#include <QCoreApplication>
#include <QTranslator>

namespace unavez::text {

void installLanguage(const QString& language)
{
    static QTranslator translator;
    QCoreApplication::removeTranslator(&translator);
    if (language != QLatin1String("es"))
        return; // English is the source
    if (translator.load(QStringLiteral(":/i18n/unavez_es.qm")))
        QCoreApplication::installTranslator(&translator);
}

} // namespace unavez::text
