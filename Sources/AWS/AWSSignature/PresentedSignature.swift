package import Bytes
internal import HTTP
package import Time

/// The signature of a received request, to be verified.
///
/// The caller checks the time: a header signature is valid for minutes around `signedAt`, a
/// presigned one until `signedAt + expiresIn`.
package struct PresentedSignature: Sendable, Equatable {
    static let fieldBytesMax = 16 << 10

    package let accessKeyID: String
    package let scope: SigningScope
    package let signedAt: Instant
    /// The names of the signed headers in lower case, in the order of the request.
    package let signedHeaders: [String]
    package let signature: String
    package let sessionToken: String?
    /// The lifetime of a presigned URL; nil for other requests.
    package let expiresIn: Span?
    private let timestamp: String

    /// nil if the request is not signed.
    package static func find(
        in request: SignableRequest
    ) throws(SignatureFailure) -> PresentedSignature? {
        if let authorization = request.headers.onlyValue("authorization") {
            return try PresentedSignature(authorization: authorization, request)
        }
        let query = request.queryFields
        guard query.contains(where: { $0.name == "X-Amz-Signature" }) else { return nil }
        return try PresentedSignature(query: query)
    }

    /// `payloadHash` is the hash of the body, or the constant that the request sends instead; the
    /// caller checks the body against it.
    package func isValid(
        for request: SignableRequest, payloadHash: String, path: PathRule, secret: SecretBytes
    ) -> Bool {
        isValid(
            for: request, payloadHash: payloadHash, path: path, key: scope.key(from: secret))
    }

    /// Verifies with the key for this signature's scope, which can be cached for a day.
    package func isValid(
        for request: SignableRequest, payloadHash: String, path: PathRule, key: SecretBytes
    ) -> Bool {
        guard coversRequiredHeaders(request) else { return false }
        var signed = request
        if expiresIn != nil {
            let pairs = request.query.utf8.split(separator: 0x26)
            signed.query = pairs.filter { !$0.starts(with: "X-Amz-Signature=".utf8) }
                .map { String(Substring($0)) }.joined(separator: "&")
        }
        let canonical = CanonicalRequest(
            signed, signing: signedHeaders, payloadHash: payloadHash, path: path)
        let expected = scope.signature(
            of: scope.stringToSign(canonical, at: timestamp), key: key)
        return constantTimeEquals(Array(expected.utf8), Array(signature.utf8))
    }

    // Security-relevant headers must be signed, or they could be changed.
    private func coversRequiredHeaders(_ request: SignableRequest) -> Bool {
        request.headers.allSatisfy { header in
            guard header.isNamed("host") || header.isNamed(from: "x-amz-") else { return true }
            return signedHeaders.contains { header.isNamed($0) }
        } && signedHeaders.contains("host")
    }

    private init(
        credential: String?, timestamp: String?, signedHeaders: String?, signature: String?,
        sessionToken: String?, expiresIn: Span?
    ) throws(SignatureFailure) {
        guard let credential, let timestamp, let signedHeaders, let signature,
            let signedAt = Instant(compactISO8601: timestamp)
        else { throw .malformed }
        // An access key id has no slash, nor has a service or a region.
        let parts = Array(credential.utf8).split(
            separator: 0x2F, omittingEmptySubsequences: false
        ).map { String(decoding: $0, as: UTF8.self) }
        guard parts.count == 5, parts.allSatisfy({ !$0.isEmpty }),
            parts[4].isSame(as: "aws4_request"), timestamp.utf8.starts(with: parts[1].utf8),
            parts[1].utf8.count == 8, signature.utf8.count == 64, !signedHeaders.isEmpty
        else { throw .malformed }
        accessKeyID = parts[0]
        scope = SigningScope(date: parts[1], region: parts[2], service: parts[3])
        self.signedAt = signedAt
        self.signedHeaders = Array(signedHeaders.utf8).split(separator: 0x3B).map {
            String(decoding: $0, as: UTF8.self)
        }
        self.signature = signature
        self.sessionToken = sessionToken
        self.expiresIn = expiresIn
        self.timestamp = timestamp
    }

    private init(authorization: String, _ request: SignableRequest) throws(SignatureFailure) {
        guard authorization.utf8.count <= Self.fieldBytesMax else { throw .malformed }
        // Searching an array is several times as fast as searching a string.
        let bytes = Array(authorization.utf8)
        let algorithm = bytes.prefix { $0 != 0x20 }
        guard algorithm.elementsEqual(SigningScope.algorithm.utf8) else {
            throw .unknownAlgorithm
        }
        var fields = HeaderFields()
        var rest = bytes[algorithm.endIndex...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: 0x2C) ?? rest.endIndex
            if end > rest.startIndex { try fields.add(rest[..<end].drop { $0 == 0x20 }) }
            rest = rest[end...].dropFirst()
        }
        try self.init(
            credential: fields.credential, timestamp: request.headers.onlyValue("x-amz-date"),
            signedHeaders: fields.signedHeaders, signature: fields.signature,
            sessionToken: request.headers.onlyValue("x-amz-security-token"), expiresIn: nil)
    }

    private init(query: [(name: String, value: String)]) throws(SignatureFailure) {
        guard query.onlyValue("X-Amz-Algorithm") == SigningScope.algorithm else {
            throw .unknownAlgorithm
        }
        guard let seconds = query.onlyValue("X-Amz-Expires"), seconds.utf8.first != 0x2B,
            let expiry = Int64(seconds)
        else { throw .malformed }
        // With 0, the URL would expire as soon as it is signed.
        guard (0...Signer.presignedSecondsMax).contains(expiry) else { throw .expiryOutOfRange }
        try self.init(
            credential: query.onlyValue("X-Amz-Credential"),
            timestamp: query.onlyValue("X-Amz-Date"),
            signedHeaders: query.onlyValue("X-Amz-SignedHeaders"),
            signature: query.onlyValue("X-Amz-Signature"),
            sessionToken: query.onlyValue("X-Amz-Security-Token"), expiresIn: .seconds(expiry))
    }
}

/// `Credential=…, SignedHeaders=…, Signature=…`
private struct HeaderFields {
    private(set) var credential: String?
    private(set) var signedHeaders: String?
    private(set) var signature: String?

    /// Ignores unknown names; each known one may occur once.
    mutating func add(_ field: ArraySlice<UInt8>) throws(SignatureFailure) {
        guard let mark = field.firstIndex(of: 0x3D), mark != field.startIndex,
            case let value = field[(mark + 1)...], !value.isEmpty
        else { throw .malformed }
        let name = field[..<mark]
        let text = String(decoding: value, as: UTF8.self)
        if name.elementsEqual("Credential".utf8) {
            try Self.set(&credential, text)
        } else if name.elementsEqual("SignedHeaders".utf8) {
            try Self.set(&signedHeaders, text)
        } else if name.elementsEqual("Signature".utf8) {
            try Self.set(&signature, text)
        }
    }

    private static func set(_ place: inout String?, _ text: String) throws(SignatureFailure) {
        guard place == nil else { throw .malformed }
        place = text
    }
}

extension SignableRequest {
    fileprivate var queryFields: [(name: String, value: String)] {
        query.utf8.split(separator: 0x26).map { pair in
            let parts = pair.split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false)
            func text(_ index: Int) -> String {
                index < parts.count
                    ? String(decoding: URIEncoding.decode(parts[index]), as: UTF8.self) : ""
            }
            return (text(0), text(1))
        }
    }
}

extension [(name: String, value: String)] {
    fileprivate func onlyValue(_ name: String) -> String? {
        let values = filter { $0.name.isSame(as: name) }
        return values.count == 1 ? values[0].value : nil
    }
}

extension Instant {
    /// Accepts only the form `20150830T123600Z`.
    package init?(compactISO8601 text: String) {
        var bytes = Array(text.utf8)
        guard bytes.count == 16 else { return nil }
        for (index, mark) in [(4, "-"), (7, "-"), (13, ":"), (16, ":")] as [(Int, Unicode.Scalar)] {
            bytes.insert(UInt8(ascii: mark), at: index)
        }
        self.init(iso8601: String(decoding: bytes, as: UTF8.self))
    }
}
