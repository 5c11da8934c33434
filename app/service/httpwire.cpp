// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/httpwire.h"

#include <boost/beast/http/error.hpp>
#include <boost/beast/http/status.hpp>

#include <QDateTime>
#include <QLocale>

#include <algorithm>

namespace unavez::service {

namespace http = boost::beast::http;
using boost::system::error_code;

namespace {

QByteArray bytesOf(boost::beast::string_view text)
{
    return QByteArray(text.data(), static_cast<qsizetype>(text.size()));
}

// RFC 9110's one form of Content-Length: digits. A list, a sign or a number no body can have is somebody's trick.
bool isPlainLength(const QByteArray& text)
{
    constexpr qsizetype mostDigits = 18;
    return !text.isEmpty() && text.size() <= mostDigits
        && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool isOriginForm(boost::beast::string_view target)
{
    return !target.empty() && target.front() == '/'
        && std::all_of(target.begin(), target.end(), [](char c) { return c > 0x20 && c < 0x7f && c != '#'; });
}

} // namespace

bool ByteBudget::take(qint64 bytes)
{
    auto left = m_left.load(std::memory_order_relaxed);
    while (left >= bytes) {
        if (m_left.compare_exchange_weak(left, left - bytes, std::memory_order_relaxed))
            return true;
    }
    return false;
}

bool ByteShare::grow(qint64 bytes)
{
    if (!m_budget.take(bytes))
        return false;
    m_taken += bytes;
    return true;
}

void ByteShare::release()
{
    m_budget.give(m_taken);
    m_taken = 0;
}

bool BudgetedBody::reader::append(const char* from, qsizetype size)
{
    if (m_body.share && !m_body.share->grow(size))
        return false;
    m_body.bytes.append(from, size);
    return true;
}

std::optional<int> refusalOf(const RequestHead& head)
{
    constexpr int bad = 400;
    if (head.version() != 10 && head.version() != 11)
        return 505;
    const auto hosts = head.count(http::field::host);
    if (hosts > 1 || (hosts == 0 && head.version() == 11))
        return bad;
    const auto lengths = head.count(http::field::content_length);
    const auto codings = head.count(http::field::transfer_encoding);
    if (lengths > 1 || codings > 1 || (lengths == 1 && codings == 1))
        return bad;
    if (lengths == 1 && !isPlainLength(bytesOf(head[http::field::content_length])))
        return bad;
    // Any other coding leaves the length of the body to guesswork.
    if (codings == 1
        && (head.version() == 10
            || bytesOf(head[http::field::transfer_encoding]).compare("chunked", Qt::CaseInsensitive) != 0))
        return bad;
    return isOriginForm(head.target()) ? std::optional<int>() : bad;
}

HttpRequest requestOf(const RequestHead& head)
{
    HttpRequest request;
    request.method = bytesOf(head.method_string());
    const auto target = bytesOf(head.target());
    const auto question = target.indexOf('?');
    request.path = question < 0 ? target : target.first(question);
    if (question >= 0)
        request.query = target.sliced(question + 1);
    for (const auto& field : head)
        request.headers.append({bytesOf(field.name_string()), bytesOf(field.value()).trimmed()});
    return request;
}

std::optional<int> statusOf(const error_code& failed, bool inBody)
{
    if (failed == http::error::end_of_stream)
        return std::nullopt;
    if (failed == boost::system::errc::not_enough_memory)
        return 503;
    if (failed == http::error::body_limit)
        return 413;
    if (failed == http::error::header_limit || failed == http::error::buffer_overflow)
        return inBody ? 400 : 431;
    if (failed == http::error::bad_version)
        return 505;
    if (failed.category() == http::make_error_code(http::error::bad_method).category())
        return 400;
    return std::nullopt;
}

QByteArray spelled(const HttpResponse& response, Framing framing)
{
    const auto reason = http::obsolete_reason(static_cast<http::status>(response.status));
    QByteArray text = "HTTP/1.1 " + QByteArray::number(response.status) + ' ' + bytesOf(reason) + "\r\nDate: "
        + QLocale::c().toString(QDateTime::currentDateTimeUtc(), u"ddd, dd MMM yyyy hh:mm:ss").toLatin1() + " GMT\r\n";
    if (!response.body.isEmpty())
        text += "Content-Type: " + response.contentType + "\r\n";
    text += "Content-Length: " + QByteArray::number(response.body.size()) + "\r\n";
    if (response.retryAfter)
        text += "Retry-After: " + QByteArray::number(response.retryAfter->count()) + "\r\n";
    for (const auto& [name, value] : response.headers)
        text += name + ": " + value + "\r\n";
    // What the answer says is of this moment and of this caller.
    text += "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n";
    if (framing.close)
        text += "Connection: close\r\n";
    text += "\r\n";
    return framing.isHead ? text : text + response.body;
}

} // namespace unavez::service
