internal import Bytes
internal import Cryptography

/// The value of `x-amz-content-sha256`.
enum PayloadKind: Sendable, Equatable {
    /// The hash of the body.
    case hashed(String)
    case unsigned
    /// The payload is in signed chunks, optionally with signed trailers.
    case signedChunks(hasTrailer: Bool)
    case unsignedChunks

    init(_ request: S3Request, isPresigned: Bool) throws(S3Failure) {
        let field = isPresigned ? request["X-Amz-Content-Sha256"] : nil
        guard let text = request.header("x-amz-content-sha256") ?? field else {
            guard isPresigned else {
                throw .invalidRequest(
                    "Missing required header for this request: x-amz-content-sha256")
            }
            self = .unsigned
            return
        }
        switch text {
        case "UNSIGNED-PAYLOAD": self = .unsigned
        case "STREAMING-UNSIGNED-PAYLOAD-TRAILER": self = .unsignedChunks
        case "STREAMING-AWS4-HMAC-SHA256-PAYLOAD": self = .signedChunks(hasTrailer: false)
        case "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER":
            self = .signedChunks(hasTrailer: true)
        default:
            guard text.utf8.count == 64, Hex.decode(text) != nil else {
                throw .invalidArgument(
                    "x-amz-content-sha256 must be UNSIGNED-PAYLOAD, "
                        + "STREAMING-UNSIGNED-PAYLOAD-TRAILER, "
                        + "STREAMING-AWS4-HMAC-SHA256-PAYLOAD, "
                        + "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER or a valid sha256 value.",
                    "x-amz-content-sha256", text)
            }
            self = .hashed(text)
        }
    }

    /// The payload hash in the canonical request.
    var canonicalHash: String {
        switch self {
        case .hashed(let hash): hash
        case .unsigned: "UNSIGNED-PAYLOAD"
        case .unsignedChunks: "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
        case .signedChunks(hasTrailer: false): "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
        case .signedChunks(hasTrailer: true): "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"
        }
    }
}

/// A decoded body and its trailers.
struct Payload: Sendable {
    var bytes: [UInt8]
    /// Names in lower case.
    var trailers: [(name: String, value: String)] = []

    func trailer(_ name: String) -> String? { trailers.first { $0.name.isSame(as: name) }?.value }
}
