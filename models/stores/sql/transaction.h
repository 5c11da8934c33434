// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/stores/sql/sqlconnection.h"
#include "models/stores/sql/sqlerror.h"

#include <type_traits>

namespace unavez::stores {

// Runs `work` in one transaction and commits. A lost race for locks (40001, 40P01, SQLITE_BUSY) is repeated twice, from
// the start; a unique index that answers is no lost race and is not. What `work` returns as failed is rolled back.
template <typename Work> auto inTransaction(SqlConnection& connection, Work work) -> std::invoke_result_t<Work>
{
    using Answer = std::invoke_result_t<Work>;
    constexpr int tries = 3;
    for (int attempt = 1;; ++attempt) {
        if (const auto begun = connection.begin(); !begun)
            return Answer(contract::fail(begun.error()));
        Answer answer = work();
        contract::Error error;
        if (answer) {
            const auto committed = connection.commit();
            if (committed)
                return answer;
            error = committed.error();
        } else {
            error = answer.error();
            connection.rollback();
        }
        const bool lostRace = error.kind == contract::Error::Kind::Conflict && !isUniqueViolation(error);
        if (!lostRace || attempt == tries)
            return Answer(contract::fail(error));
    }
}

} // namespace unavez::stores
