internal import Bytes
internal import Cryptography
package import HTTP
package import Time

/// Signs requests with Signature Version 4, in headers or in the query string.
package struct Signer: Sendable {
    package static let presignedSecondsMax: Int64 = 604_800

    private let credentials: AWSCredentials
    private let region: String
    private let service: String
    private let keys: SigningKeyCache?
    package var path: PathRule
    /// Sends `x-amz-content-sha256`, which S3 requires.
    package var sendsPayloadHash: Bool
    /// False for the few services that expect the session token to be added after signing.
    package var signsSessionToken = true

    /// - Parameter keys: a cache of derived signing keys for several requests.
    package init(
        _ credentials: AWSCredentials, region: String, service: String,
        keys: SigningKeyCache? = nil
    ) {
        self.credentials = credentials
        self.region = region
        self.service = service
        self.keys = keys
        path = .of(service: service)
        sendsPayloadHash = service == "s3"
    }

    /// The request with `Host`, `X-Amz-Date`, the session token and `Authorization`. Replaces an
    /// existing signature, so that a retry can sign again.
    package func sign(
        _ request: HTTPRequest, at now: Instant
    ) throws(SignatureFailure) -> HTTPRequest {
        var signed = request
        signed.headers.removeAll { header in
            Self.ownHeaders.contains { header.isNamed($0) }
        }
        var signable = try SignableRequest(signed)
        let timestamp = now.compactISO8601
        let payloadHash = Hex.encode(SHA256.hash(request.body))
        if let token = credentials.sessionToken {
            signable.headers.append(
                HTTPHeader(
                    "X-Amz-Security-Token", String(decoding: token.reveal(), as: UTF8.self)))
        }
        signable.headers.append(HTTPHeader("X-Amz-Date", timestamp))
        if sendsPayloadHash {
            signable.headers.append(HTTPHeader("X-Amz-Content-Sha256", payloadHash))
        }

        var names = Self.signedNames(signable)
        if !signsSessionToken { names.removeAll { $0 == "x-amz-security-token" } }
        let canonical = CanonicalRequest(
            signable, signing: names, payloadHash: payloadHash, path: path)
        let scope = scope(at: timestamp)
        let key =
            keys?.key(of: scope, from: credentials.secretAccessKey)
            ?? scope.key(from: credentials.secretAccessKey)
        let signature = scope.signature(
            of: scope.stringToSign(canonical, at: timestamp), key: key)
        signed.headers = signable.headers
        signed.headers.append(
            HTTPHeader(
                "Authorization",
                "\(SigningScope.algorithm) Credential=\(credentials.accessKeyID)/\(scope.text), "
                    + "SignedHeaders=\(canonical.signedHeaders), Signature=\(signature)"))
        return signed
    }

    /// A presigned URL. It contains the signature, so anyone who has it can use it until it
    /// expires.
    package func presign(
        _ request: HTTPRequest, expiresIn lifetime: Span, at now: Instant
    ) throws(SignatureFailure) -> HTTPRequest {
        guard (1...Self.presignedSecondsMax).contains(lifetime.seconds) else {
            throw .expiryOutOfRange
        }
        let url = try RequestURL(request.url)
        var signable = try SignableRequest(request)
        guard !signable.query.utf8.contains(text: "X-Amz-Signature=") else {
            throw .alreadyPresigned
        }

        let timestamp = now.compactISO8601
        let scope = scope(at: timestamp)
        let names = Self.signedNames(signable)
        let signedHeaders = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        var pairs = [
            ("X-Amz-Algorithm", SigningScope.algorithm),
            ("X-Amz-Credential", "\(credentials.accessKeyID)/\(scope.text)"),
            ("X-Amz-Date", timestamp),
            ("X-Amz-SignedHeaders", signedHeaders.joined(separator: ";")),
            ("X-Amz-Expires", String(lifetime.seconds)),
        ]
        let token = credentials.sessionToken.map {
            ("X-Amz-Security-Token", String(decoding: $0.reveal(), as: UTF8.self))
        }
        if let token, signsSessionToken { pairs.append(token) }
        let given = signable.query.isEmpty ? [] : [signable.query]
        signable.query = (given + pairs.map(Self.pair)).joined(separator: "&")

        let payloadHash =
            service == "s3" ? "UNSIGNED-PAYLOAD" : Hex.encode(SHA256.hash(request.body))
        let canonical = CanonicalRequest(
            signable, signing: names, payloadHash: payloadHash, path: path)
        let signature = scope.signature(
            of: scope.stringToSign(canonical, at: timestamp), secret: credentials.secretAccessKey)
        var query = signable.query
        if let token, !signsSessionToken { query += "&" + Self.pair(token) }
        var presigned = request
        presigned.url = url.text(query: "\(query)&X-Amz-Signature=\(signature)")
        return presigned
    }

    private func scope(at timestamp: String) -> SigningScope {
        SigningScope(date: String(timestamp.prefix(8)), region: region, service: service)
    }

    private static let ownHeaders = [
        "authorization", "x-amz-date", "x-amz-security-token", "x-amz-content-sha256",
    ]

    // Proxies change these headers, which would invalidate a signature over them.
    private static let unsignedHeaders = [
        "authorization", "connection", "expect", "transfer-encoding", "user-agent",
        "x-amzn-trace-id",
    ]

    /// The names of the signed headers, in lower case and without duplicates.
    private static func signedNames(_ request: SignableRequest) -> [String] {
        var names: [String] = []
        for header in request.headers
        where !unsignedHeaders.contains(where: { header.isNamed($0) })
            && !names.contains(where: { header.isNamed($0) })
        {
            names.append(header.name.lowercased())
        }
        return names
    }

    private static func pair(_ pair: (name: String, value: String)) -> String {
        "\(pair.name)=\(URIEncoding.encode(pair.value.utf8))"
    }
}
