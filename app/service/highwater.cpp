// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/service/highwater.h"

#include <QCryptographicHash>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>

#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace unavez::service {

using namespace contract;

namespace {

constexpr qint64 largestFile = 4096;

// A store's id goes into a file name by its hash: what it is made of is the store's business.
QString fileName(const QString& storeId)
{
    const auto hash = QCryptographicHash::hash(storeId.toUtf8(), QCryptographicHash::Sha256).toHex();
    return QStringLiteral("highwater-%1.json").arg(QString::fromLatin1(hash.left(16)));
}

// Two services of one host must not lower each other's mark between reading and writing it.
class FileLock
{
public:
    explicit FileLock(const QString& path)
        : m_descriptor(::open(QFile::encodeName(path).constData(), O_RDWR | O_CREAT | O_CLOEXEC, 0600))
    {
        if (m_descriptor >= 0)
            ::flock(m_descriptor, LOCK_EX);
    }
    ~FileLock()
    {
        if (m_descriptor >= 0)
            ::close(m_descriptor);
    }
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

private:
    int m_descriptor;
};

Error::Kind kindOf(QFileDevice::FileError error)
{
    if (errno == EROFS)
        return Error::Kind::ReadOnly;
    return error == QFileDevice::ResourceError || errno == ENOSPC || errno == EDQUOT ? Error::Kind::Full
                                                                                     : Error::Kind::Denied;
}

} // namespace

bool isRewound(const HighWater& seen, const HighWater& shown)
{
    if (seen.store != shown.store)
        return false;
    return shown.epoch < seen.epoch || (shown.epoch == seen.epoch && shown.lastCall < seen.lastCall);
}

HighWaterFile::HighWaterFile(const QString& folder, const QString& storeId)
    : m_path(folder + QLatin1Char('/') + fileName(storeId))
{
}

Result<std::optional<HighWater>> HighWaterFile::read() const
{
    QFile file(m_path);
    if (!file.exists())
        return std::optional<HighWater>();
    if (!file.open(QIODevice::ReadOnly))
        return fail(Error::Kind::Denied, file.errorString());
    const auto object = QJsonDocument::fromJson(file.read(largestFile)).object();
    const auto epoch = object.value(QLatin1String("epoch")).toInteger();
    const auto lastCall = object.value(QLatin1String("last_call")).toInteger(-1);
    const auto store = object.value(QLatin1String("store")).toString();
    if (store.isEmpty() || epoch < 1 || lastCall < 0)
        return fail(Error::Kind::Corrupt, QStringLiteral("not a high-water file"));
    return std::optional(HighWater{store, epoch, lastCall});
}

Result<> HighWaterFile::raise(const HighWater& shown)
{
    const FileLock lock(m_path + QLatin1String(".lock"));
    const auto seen = read();
    if (!seen)
        return fail(seen.error());
    if (*seen && (**seen == shown || isRewound(**seen, shown)))
        return done();
    errno = 0;
    QSaveFile file(m_path);
    const QJsonObject object{{QStringLiteral("store"), shown.store}, {QStringLiteral("epoch"), shown.epoch},
        {QStringLiteral("last_call"), shown.lastCall}};
    if (!file.open(QIODevice::WriteOnly) || file.write(QJsonDocument(object).toJson(QJsonDocument::Compact) + '\n') < 0
        || !file.commit())
        return fail(kindOf(file.error()), file.errorString());
    return done();
}

} // namespace unavez::service
