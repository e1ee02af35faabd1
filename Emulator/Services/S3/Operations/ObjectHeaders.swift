internal import EmulatorIAM
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
                metadataBytes += name.utf8.count - prefix.utf8.count + header.value.utf8.count
                headers.append(HTTPHeader(name, header.value))
            } else if name == "content-encoding" {
                // `aws-chunked` is not a property of the object.
                let rest = header.value.split(separator: ",").map { $0.drop { $0 == " " } }
                    .filter { $0 != "aws-chunked" && !$0.isEmpty }
                if !rest.isEmpty {
                    headers.append(HTTPHeader(name, rest.joined(separator: ",")))
                }
            } else if kept.contains(name) {
                headers.append(HTTPHeader(name, header.value))
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

    static func of(_ checksum: Checksum?, type: String = "FULL_OBJECT") -> [HTTPHeader] {
        guard let checksum else { return [] }
        return [
            HTTPHeader(checksum.algorithm.header, checksum.value),
            HTTPHeader("x-amz-checksum-type", type),
        ]
    }

    static func isChecksum(_ header: HTTPHeader) -> Bool {
        header.name.hasPrefix("x-amz-checksum-")
    }
}
