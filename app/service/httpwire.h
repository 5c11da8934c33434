// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/service/httpmessage.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>

#include <atomic>

// Bytes to values and back, for the listener's own units only: no front includes this.
namespace unavez::service {

// What all connections of a listener may hold of bodies together.
class ByteBudget
{
public:
    explicit ByteBudget(qint64 bytes)
        : m_left(bytes)
    {
    }
    bool take(qint64 bytes); // false, and nothing taken, where it is not there
    void give(qint64 bytes) { m_left.fetch_add(bytes, std::memory_order_relaxed); }

private:
    std::atomic<qint64> m_left;
};

// One connection's share of it.
class ByteShare
{
public:
    explicit ByteShare(ByteBudget& budget)
        : m_budget(budget)
    {
    }
    ~ByteShare() { release(); }
    ByteShare(const ByteShare&) = delete;
    ByteShare& operator=(const ByteShare&) = delete;
    bool grow(qint64 bytes);
    void release();

private:
    ByteBudget& m_budget;
    qint64 m_taken = 0;
};

// A Beast body that grows as bytes come, never by what a header announces, and stops at the budget (no_memory).
struct BudgetedBody
{
    struct value_type
    {
        QByteArray bytes;
        ByteShare* share = nullptr;
    };
    class reader
    {
    public:
        template <bool isRequest, class Fields>
        reader(boost::beast::http::header<isRequest, Fields>&, value_type& body)
            : m_body(body)
        {
        }
        void init(const boost::optional<std::uint64_t>&, boost::system::error_code& failed) { failed = {}; }
        template <class Buffers> std::size_t put(const Buffers& buffers, boost::system::error_code& failed)
        {
            std::size_t read = 0;
            failed = {};
            for (auto it = boost::asio::buffer_sequence_begin(buffers); it != boost::asio::buffer_sequence_end(buffers);
                 ++it) {
                const boost::asio::const_buffer piece(*it);
                if (!append(static_cast<const char*>(piece.data()), static_cast<qsizetype>(piece.size()))) {
                    failed = boost::system::errc::make_error_code(boost::system::errc::not_enough_memory);
                    break;
                }
                read += piece.size();
            }
            return read;
        }
        void finish(boost::system::error_code& failed) { failed = {}; }

    private:
        bool append(const char* from, qsizetype size);
        value_type& m_body;
    };
};

using RequestParser = boost::beast::http::request_parser<BudgetedBody>;
using RequestHead = boost::beast::http::request_header<>;

// The status a head is refused with although it parses: because two readers could frame it in two ways (request
// smuggling), or because it is not HTTP/1.0 or 1.1. Absent: sound.
std::optional<int> refusalOf(const RequestHead& head);
// Everything but body, peer and time. Taken before the body is read: a chunked body's trailer adds no header.
HttpRequest requestOf(const RequestHead& head);
// The status for a request that could not be read: `failed` as the parser said. Absent: the connection is gone, or
// nothing was asked.
std::optional<int> statusOf(const boost::system::error_code& failed, bool inBody);

struct Framing
{
    bool close = false;
    bool isHead = false; // the answer to HEAD has no body
};
QByteArray spelled(const HttpResponse& response, Framing framing);

} // namespace unavez::service
