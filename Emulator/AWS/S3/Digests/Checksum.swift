internal import Bytes
internal import Cryptography

/// The algorithm of a checksum that a client may send with a body, `x-amz-checksum-…`.
enum ChecksumAlgorithm: String, CaseIterable, Sendable {
    case crc32 = "CRC32"
    case crc32c = "CRC32C"
    case crc64NVMe = "CRC64NVME"
    case sha1 = "SHA1"
    case sha256 = "SHA256"

    var header: String {
        switch self {
        case .crc32: "x-amz-checksum-crc32"
        case .crc32c: "x-amz-checksum-crc32c"
        case .crc64NVMe: "x-amz-checksum-crc64nvme"
        case .sha1: "x-amz-checksum-sha1"
        case .sha256: "x-amz-checksum-sha256"
        }
    }
    /// The XML element, `ChecksumCRC32`.
    var element: String { "Checksum\(rawValue)" }

    var byteCount: Int {
        switch self {
        case .crc32, .crc32c: 4
        case .crc64NVMe: 8
        case .sha1: 20
        case .sha256: 32
        }
    }

    /// Whether the algorithm supports a checksum of the full object for multipart uploads.
    var coversWholes: Bool {
        switch self {
        case .crc32, .crc32c, .crc64NVMe: true
        case .sha1, .sha256: false
        }
    }

    /// Whether the algorithm supports a checksum of the checksums of the parts.
    var isComposable: Bool { self != .crc64NVMe }

    func hash(_ bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .crc32: CRCChecksum.crc32.hash([bytes])
        case .crc32c: CRCChecksum.crc32c.hash([bytes])
        case .crc64NVMe: CRCChecksum.crc64NVMe.hash([bytes])
        case .sha1: BrokenDigest.sha1(bytes)
        case .sha256: SHA256.hash(bytes)
        }
    }
}

/// A checksum in base64 with its algorithm; `…-N` for a composite checksum of N parts.
struct Checksum: Sendable, Equatable {
    let algorithm: ChecksumAlgorithm
    let value: String

    init(_ algorithm: ChecksumAlgorithm, _ value: String) {
        self.algorithm = algorithm
        self.value = value
    }

    init(_ algorithm: ChecksumAlgorithm, of bytes: [UInt8]) {
        self.init(algorithm, Base64.encode(algorithm.hash(bytes)))
    }
}
