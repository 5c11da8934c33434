// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/contract/states.h"
#include "models/stores/sql/sqlconnection.h"

#include <QTemporaryDir>

#include <memory>

namespace unavez::tests {

// A fresh, migrated store of one kind, gone with the object.
class TestStore
{
public:
    explicit TestStore(stores::StoreUrl::Kind kind, contract::StoreMode mode = contract::StoreMode::Practice);
    ~TestStore();
    TestStore(const TestStore&) = delete;
    TestStore& operator=(const TestStore&) = delete;

    const stores::StoreUrl& url() const { return m_url; }
    // As the owner; aborts the test program when it cannot.
    std::unique_ptr<stores::SqlConnection> connect() const;
    // PostgreSQL: a login that is a member of unavez_<role> and of nothing else.
    std::unique_ptr<stores::SqlConnection> connectAs(const QString& role) const;

private:
    QTemporaryDir m_folder;
    stores::StoreUrl m_url;
};

} // namespace unavez::tests
