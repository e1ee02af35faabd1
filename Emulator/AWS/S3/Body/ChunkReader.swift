internal import Bytes

/// Decodes `aws-chunked`: `hexlen[;chunk-signature=…]`, the bytes, …, an empty chunk, trailers.
struct ChunkReader {
    static let chunkLineBytesMax = 256
    static let trailersMax = 16

    private let body: [UInt8]
    private var position = 0
    private var signatures: ChunkSignatures?

    private static let wrongSignature = S3Failure(
        403, "SignatureDoesNotMatch",
        "The request signature we calculated does not match the signature you provided. Check your "
            + "key and signing method.")

    init(_ body: [UInt8], signatures: ChunkSignatures?) {
        self.body = body
        self.signatures = signatures
    }

    mutating func payload(byteCount: Int, hasTrailers: Bool) throws(S3Failure) -> Payload {
        var payload = Payload(bytes: [])
        payload.bytes.reserveCapacity(min(byteCount, body.count))
        while true {
            let (count, signature) = try chunkLine()
            guard count <= body.count - position else { throw .incompleteBody }
            let chunk = body[position..<(position + count)]
            position += count
            try check(chunk, signature)
            if count == 0 { break }
            payload.bytes += chunk
            guard try line(bytesMax: 0).isEmpty, payload.bytes.count <= byteCount else {
                throw .incompleteBody
            }
        }
        guard payload.bytes.count == byteCount else { throw .incompleteBody }
        if hasTrailers { payload.trailers = try trailers() }
        return payload
    }

    private mutating func check(_ chunk: ArraySlice<UInt8>, _ signature: String?) throws(S3Failure)
    {
        guard signatures != nil else { return }
        guard let signature, signatures?.accept(Array(chunk), signature: signature) == true else {
            throw Self.wrongSignature
        }
    }

    private mutating func chunkLine() throws(S3Failure) -> (Int, signature: String?) {
        let line = try line(bytesMax: Self.chunkLineBytesMax)
        let parts = line.split(
            separator: UInt8(ascii: ";"), maxSplits: 1, omittingEmptySubsequences: false)
        let digits = parts.first ?? []
        guard (1...8).contains(digits.count), digits.allSatisfy(\.isHexDigit),
            let count = Int(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw .incompleteBody }
        let name = "chunk-signature="
        guard parts.count == 2, parts[1].starts(with: name.utf8) else { return (count, nil) }
        return (count, String(decoding: parts[1].dropFirst(name.utf8.count), as: UTF8.self))
    }

    private mutating func trailers() throws(S3Failure) -> [(name: String, value: String)] {
        let malformed = S3Failure(
            400, "MalformedTrailerError",
            "The request contained trailing data that was not well-formed or did not conform to "
                + "our published schema.")
        var trailers: [(name: String, value: String)] = []
        var signed = ""
        while position < body.count {
            let line = try line(bytesMax: Self.chunkLineBytesMax * 4)
            if line.isEmpty { break }
            let parts = line.split(
                separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, trailers.count < Self.trailersMax else { throw malformed }
            let name = String(decoding: parts[0], as: UTF8.self).lowercased()
            let value = String(
                decoding: parts[1].drop { $0 == UInt8(ascii: " ") }, as: UTF8.self)
            if name == "x-amz-trailer-signature" {
                guard signatures?.accept(trailers: signed, signature: value) ?? true else {
                    throw Self.wrongSignature
                }
                signatures = nil
            } else {
                signed += "\(name):\(value)\n"
                trailers.append((name, value))
            }
        }
        // Unsigned trailers are ignored.
        guard signatures == nil || trailers.isEmpty else { throw Self.wrongSignature }
        return trailers
    }

    /// Reads a line and its line end.
    private mutating func line(bytesMax: Int) throws(S3Failure) -> ArraySlice<UInt8> {
        let window = body[position..<min(body.count, position + bytesMax + 2)]
        guard let end = window.firstIndex(of: UInt8(ascii: "\n")) else { throw .incompleteBody }
        var line = body[position..<end]
        position = end + 1
        if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
        return line
    }
}
