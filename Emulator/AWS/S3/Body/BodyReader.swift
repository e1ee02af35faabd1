internal import Bytes
internal import Cryptography

/// Decodes a body and verifies its length, hash, signatures and checksum.
struct BodyReader {
    let request: S3Request
    let kind: PayloadKind
    let signed: AuthenticatedCall

    func payload() throws(S3Failure) -> Payload {
        let body = request.call.body
        let payload: Payload
        switch kind {
        case .unsigned: payload = Payload(bytes: body)
        case .hashed(let hash):
            let computed = Hex.encode(SHA256.hash(body))
            guard computed.isSame(as: hash.lowercased()) else {
                throw S3Failure(
                    400, "XAmzContentSHA256Mismatch",
                    "The provided 'x-amz-content-sha256' header does not match what was computed.",
                    ("ClientComputedContentSHA256", hash), ("S3ComputedContentSHA256", computed))
            }
            payload = Payload(bytes: body)
        case .unsignedChunks:
            var reader = ChunkReader(body, signatures: nil)
            payload = try reader.payload(byteCount: decodedByteCount(), hasTrailers: true)
        case .signedChunks(let hasTrailer):
            var reader = ChunkReader(body, signatures: ChunkSignatures(signed))
            payload = try reader.payload(byteCount: decodedByteCount(), hasTrailers: hasTrailer)
        }
        try checkMD5(payload.bytes)
        return payload
    }

    /// The body of a request that requires a digest.
    func digestedPayload() throws(S3Failure) -> Payload {
        let payload = try payload()
        let checksum = try checksum(of: payload)
        guard checksum != nil || request.header("content-md5") != nil else {
            throw .invalidRequest("Missing required header for this request: Content-MD5")
        }
        return payload
    }

    private func decodedByteCount() throws(S3Failure) -> Int {
        guard let text = request.header("x-amz-decoded-content-length") else {
            throw S3Failure(
                411, "MissingContentLength", "You must provide the Content-Length HTTP header.")
        }
        guard let count = Int(text), count >= 0, text.utf8.first != UInt8(ascii: "+") else {
            throw .invalidArgument(
                "x-amz-decoded-content-length must be a number", "x-amz-decoded-content-length",
                text)
        }
        return count
    }

    private func checkMD5(_ bytes: [UInt8]) throws(S3Failure) {
        guard let text = request.header("content-md5") else { return }
        guard let wanted = Base64.decode(text), wanted.count == 16 else {
            throw S3Failure(
                400, "InvalidDigest", "The Content-MD5 you specified was invalid.",
                ("Content-MD5", text))
        }
        let computed = BrokenDigest.md5(bytes)
        guard computed == wanted else {
            throw S3Failure(
                400, "BadDigest",
                "The Content-MD5 you specified did not match what we received.",
                ("ExpectedDigest", text), ("CalculatedDigest", Base64.encode(computed)))
        }
    }

    /// The verified checksum of the body, which was sent as a header or a trailer.
    func checksum(of payload: Payload) throws(S3Failure) -> Checksum? {
        var found: [Checksum] = []
        for algorithm in ChecksumAlgorithm.allCases {
            guard
                let value = request.header(algorithm.header) ?? payload.trailer(algorithm.header)
            else { continue }
            guard Base64.decode(value)?.count == algorithm.byteCount else {
                throw .invalidRequest("Value for \(algorithm.header) header is invalid.")
            }
            found.append(Checksum(algorithm, value))
        }
        guard found.count <= 1 else {
            throw .invalidRequest(
                "Expecting a single x-amz-checksum- header. Multiple checksum Types are not "
                    + "allowed.")
        }
        if let announced = request.header("x-amz-trailer") {
            guard payload.trailer(announced.lowercased()) != nil else {
                throw S3Failure(
                    400, "MalformedTrailerError",
                    "The request contained trailing data that was not well-formed or did not "
                        + "conform to our published schema.")
            }
        }
        guard let checksum = found.first else {
            guard request.header("x-amz-sdk-checksum-algorithm") == nil else {
                throw .invalidRequest(
                    "x-amz-sdk-checksum-algorithm specified, but no corresponding "
                        + "x-amz-checksum-* or x-amz-trailer headers were found.")
            }
            return nil
        }
        guard Checksum(checksum.algorithm, of: payload.bytes) == checksum else {
            throw S3Failure(
                400, "BadDigest",
                "The \(checksum.algorithm.rawValue) you specified did not match the calculated "
                    + "checksum.")
        }
        return checksum
    }
}
