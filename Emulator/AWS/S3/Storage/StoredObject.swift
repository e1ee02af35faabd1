internal import HTTP
internal import Time

/// A contiguous run of stored bytes. An object has one segment, or one for each part of its
/// multipart upload.
struct Segment: Sendable, Equatable {
    let firstBlock: Int
    let byteCount: Int
}

struct StoredObject: Sendable {
    let key: String
    let byteCount: Int
    /// The ETag without quotes.
    let etag: String
    let modifiedAt: Instant
    /// Content type, metadata and checksum headers.
    let headers: [HTTPHeader]
    let segments: [Segment]
}

/// The fields of an object in lists.
struct ListedObject: Sendable {
    let key: [UInt8]
    let byteCount: Int64
    let etag: String
    let modifiedAt: Instant
}

struct StoredUpload: Sendable {
    let id: String
    let key: String
    let startedAt: Instant
    let headers: [HTTPHeader]
}

struct StoredPart: Sendable, Equatable {
    let number: Int
    let byteCount: Int
    let etag: String
    let modifiedAt: Instant
    let checksum: Checksum?
    let segments: [Segment]
}

/// The condition on the existing object for a write.
enum WriteCondition: Sendable, Equatable {
    case none
    case absent
    case etag(String)
}

enum WriteOutcome: Sendable, Equatable {
    case done
    case conditionFailed
    /// The object was written while the upload was in progress.
    case changedMeanwhile
    /// There is no object to compare with.
    case missing
}

/// Encodes lists as bytes, for columns.
enum RowCodec {
    /// Names and values are terminated by a zero byte, which headers cannot contain.
    static func encode(_ headers: [HTTPHeader]) -> [UInt8] {
        var bytes: [UInt8] = []
        for header in headers {
            bytes += header.name.utf8
            bytes.append(0)
            bytes += header.value.utf8
            bytes.append(0)
        }
        return bytes
    }

    static func headers(_ bytes: [UInt8]) -> [HTTPHeader] {
        let fields = bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast()
        return stride(from: 0, to: fields.count - 1, by: 2).map {
            HTTPHeader(
                String(decoding: fields[$0], as: UTF8.self),
                String(decoding: fields[$0 + 1], as: UTF8.self))
        }
    }

    /// Encodes each segment as sixteen bytes, big-endian.
    static func encode(_ segments: [Segment]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(segments.count * 16)
        for segment in segments {
            for number in [segment.firstBlock, segment.byteCount] {
                for shift in stride(from: 56, through: 0, by: -8) {
                    bytes.append(UInt8(truncatingIfNeeded: number >> shift))
                }
            }
        }
        return bytes
    }

    static func segments(_ bytes: [UInt8]) -> [Segment] {
        stride(from: 0, to: bytes.count - 15, by: 16).map {
            Segment(
                firstBlock: number(bytes[$0..<($0 + 8)]),
                byteCount: number(bytes[($0 + 8)..<($0 + 16)]))
        }
    }

    static func encode(_ checksum: Checksum?) -> [UInt8] {
        checksum.map { Array("\($0.algorithm.rawValue) \($0.value)".utf8) } ?? []
    }

    static func checksum(_ bytes: [UInt8]) -> Checksum? {
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard words.count == 2, let algorithm = ChecksumAlgorithm(rawValue: String(words[0])) else {
            return nil
        }
        return Checksum(algorithm, String(words[1]))
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) } & (1 << 46 - 1)
    }
}
