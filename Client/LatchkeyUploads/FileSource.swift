internal import Dispatch
internal import Foundation

/// A file that is read in pieces.
final class FileSource: Sendable {
    let byteCount: Int
    let modifiedAt: Double
    private let handle: FileHandle
    /// Uses its own queue, because a slow disk must not block the threads of Swift concurrency.
    private let queue = DispatchQueue(label: "latchkey.upload")

    init(_ file: URL) throws(UploadError) {
        do {
            handle = try FileHandle(forReadingFrom: file)
            (byteCount, modifiedAt) = try Self.state(of: handle)
        } catch {
            throw .fileUnreadable
        }
    }

    deinit { try? handle.close() }

    /// Reads a piece. Throws `fileChanged` if the file has become too short.
    func read(_ range: Range<Int>) async throws(UploadError) -> Data {
        let result = await withCheckedContinuation { continuation in
            queue.async { [self] in
                continuation.resume(
                    returning: Result { () throws(UploadError) in try readNow(range) })
            }
        }
        return try result.get()
    }

    private func readNow(_ range: Range<Int>) throws(UploadError) -> Data {
        let data: Data
        let state: (Int, Double)
        do {
            try handle.seek(toOffset: UInt64(range.lowerBound))
            data = try handle.read(upToCount: range.count) ?? Data()
            state = try Self.state(of: handle)
        } catch {
            throw .fileUnreadable
        }
        guard data.count == range.count, state == (byteCount, modifiedAt) else {
            throw .fileChanged
        }
        return data
    }

    private static func state(of handle: FileHandle) throws -> (Int, Double) {
        var status = stat()
        guard unsafe fstat(handle.fileDescriptor, &status) == 0,
            status.st_mode & S_IFMT == S_IFREG
        else { throw UploadError.fileUnreadable }
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        return (Int(status.st_size), Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
    }
}
