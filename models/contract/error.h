// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <tl/expected.hpp>

#include <variant>

namespace unavez::contract {

// One kind per thing a caller does differently. Sentences for people are made in ui/text, never here.
struct Error
{
    enum class Kind {
        Offline, // the store or peer cannot be reached; retry later, answer 503
        Timeout, // it was reached and did not answer in time; same, but the outcome may be open
        Denied, // the login lacks a right
        NotFound, // the thing named is not there
        Conflict, // another writer won (CAS, 40001 after retries, unique index)
        Refused, // the store's own last line of defence said no (trigger, check)
        Invalid, // the caller's input cannot be meant (bad id, bad cursor, bad config)
        Corrupt, // what was read breaks an invariant
        Full, // no room: disk full, quota
        ReadOnly, // standby, read-only file, recovery
        SchemaMissing, // no Unavez schema there
        SchemaNewer, // schema newer than this program
        Cancelled, // the asker went away
    };

    Kind kind = Kind::Corrupt;
    QString detail; // for the log: never shown, never holds a secret or a payload
    int nativeCode = 0; // the driver's or system's own number, 0 where there is none

    bool operator==(const Error&) const = default;
    // True where the same call may succeed later without anybody's doing.
    bool isTransient() const { return kind == Kind::Offline || kind == Kind::Timeout || kind == Kind::Conflict; }
};

QString wordOf(Error::Kind kind);

template <typename T = std::monostate> class [[nodiscard]] Result : public tl::expected<T, Error>
{
public:
    using tl::expected<T, Error>::expected;
};

using Failure = tl::unexpected<Error>;

inline Failure fail(Error::Kind kind, QString detail = {}, int nativeCode = 0)
{
    return Failure(Error{kind, std::move(detail), nativeCode});
}
inline Failure fail(Error error) { return Failure(std::move(error)); }

// The answer of a call that has nothing to say but "done".
inline Result<> done() { return std::monostate{}; }

} // namespace unavez::contract
