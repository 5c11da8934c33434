// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/stores/sql/storeurl.h"

#include <QTemporaryDir>

#include <memory>

namespace unavez::tests {

// A PostgreSQL of our own: the one tests/run started (UNAVEZ_TEST_PG), else one started here, in a temporary folder, by
// an unprivileged user, on a free loopback port. It ends with the test program, also when that is killed.
class PrivatePostgres
{
public:
    // One per program, started at the first call. Aborts the test program where there is no PostgreSQL at all.
    static PrivatePostgres& instance();
    // A server of its own, to be stopped and started within a test.
    PrivatePostgres();
    ~PrivatePostgres();

    stores::StoreUrl superuser(const QString& database = QStringLiteral("postgres")) const;
    void stop(); // only a server started here
    void start();

private:
    explicit PrivatePostgres(const QString& shared);

    std::unique_ptr<QTemporaryDir> m_folder;
    stores::StoreUrl m_url;
    bool m_own = true;
};

} // namespace unavez::tests
