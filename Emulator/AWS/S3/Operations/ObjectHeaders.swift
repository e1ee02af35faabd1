internal import Bytes
internal import HTTP

/// The request headers that are stored with an object.
enum ObjectHeaders {
    /// The limit of names and values of all `x-amz-meta-…` headers together.
    static let metadataBytesMax = 2 << 10
    static let prefix = "x-amz-meta-"
    private static let kept = [
        "content-type", "cache-control", "content-disposition", "content-encoding",
        "content-language", "expires", "x-amz-website-redirect-location",
    ]

    static func kept(from request: S3Request) throws(S3Failure) -> [HTTPHeader] {
        var headers: [HTTPHeader] = []
        var metadataBytes = 0
        for header in request.call.headers {
            let name = header.name.lowercased()
            guard !header.value.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 }) else {
                throw .invalidArgument("The header is not valid", name, "")
            }
            if name.hasPrefix(prefix) {
                let value = MetadataText.normalized(header.value)
                metadataBytes += name.utf8.count - prefix.utf8.count + value.utf8.count
                headers.append(HTTPHeader(name, value))
            } else if name == "content-encoding" {
                let rest = withoutChunking(header.value)
                if !rest.isEmpty { headers.append(HTTPHeader(name, rest)) }
            } else if kept.contains(name) {
                headers.append(HTTPHeader(name, header.value))
            } else if CannedACL.isRefused(name, header.value) {
                throw .aclNotSupported
            }
        }
        guard metadataBytes <= metadataBytesMax else {
            throw S3Failure(
                400, "MetadataTooLarge",
                "Your metadata headers exceed the maximum allowed metadata size",
                ("Size", String(metadataBytes)), ("MaxSizeAllowed", String(metadataBytesMax)))
        }
        if !headers.contains(where: { $0.name == "content-type" && !$0.value.isEmpty }) {
            headers.removeAll { $0.name == "content-type" }
            headers.insert(HTTPHeader("content-type", "binary/octet-stream"), at: 0)
        }
        return headers
    }

    /// `aws-chunked` is not a property of the object.
    private static func withoutChunking(_ encoding: String) -> String {
        let all = encoding.split(separator: ",").map { $0.drop { $0 == " " } }
        let rest = all.filter { $0 != "aws-chunked" && !$0.isEmpty }
        return rest.count == all.count ? encoding : rest.joined(separator: ",")
    }

    static func of(_ checksum: Checksum?, type: String = "FULL_OBJECT") -> [HTTPHeader] {
        guard let checksum else { return [] }
        return [
            HTTPHeader(checksum.algorithm.header, checksum.value),
            HTTPHeader("x-amz-checksum-type", type),
        ]
    }

    /// The checksum among an object's headers, with its type.
    static func checksums(_ headers: [HTTPHeader]) -> [HTTPHeader] {
        headers.filter { isChecksum($0) && !$0.isNamed(ObjectParts.header) }
    }

    /// Whether the checksum is a checksum of the parts' checksums.
    static func isComposite(_ checksums: [HTTPHeader]) -> Bool {
        checksums.value(UploadChecksum.typeHeader)?.isSame(as: "COMPOSITE") ?? false
    }

    /// Whether the header is a checksum, its type, or the parts (`ObjectParts.header`).
    static func isChecksum(_ header: HTTPHeader) -> Bool {
        header.name.hasPrefix("x-amz-checksum-")
    }
}
