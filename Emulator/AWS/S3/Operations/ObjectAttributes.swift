internal import Bytes
internal import HTTP
internal import Time
internal import XML

extension S3Service {
    func objectAttributes(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        let (wanted, page) = try checked { () throws(S3Failure) in
            try exchange.caller.require("s3:GetObject", exchange.bucket, exchange.key)
            return (try Self.attributes(exchange.request), try PartsPage(exchange.request))
        }
        let object = try object(exchange)
        let checksums = ObjectHeaders.checksums(object.headers)
        let headers = [HTTPHeader("last-modified", object.modifiedAt.httpDate)]
        return S3Response(document: "GetObjectAttributesResponse", headers: headers) { xml in
            if wanted.contains("ETag") { xml.element("ETag", object.etag) }
            if wanted.contains("Checksum"), !checksums.isEmpty {
                xml.element("Checksum") { Self.write(checksums, to: &$0) }
            }
            if wanted.contains("ObjectParts"), let parts = ObjectParts(object.headers) {
                xml.element("ObjectParts") { xml in
                    xml.element("PartsCount", parts.parts.count)
                    // Only parts with their own checksum are listed.
                    if ObjectHeaders.isComposite(checksums) {
                        page.write(parts, UploadChecksum.algorithm(of: checksums), to: &xml)
                    }
                }
            }
            if wanted.contains("StorageClass") { xml.element("StorageClass", "STANDARD") }
            if wanted.contains("ObjectSize") { xml.element("ObjectSize", object.byteCount) }
        }
    }

    private static let attributeNames = [
        "ETag", "Checksum", "ObjectParts", "StorageClass", "ObjectSize",
    ]

    private static func attributes(_ request: S3Request) throws(S3Failure) -> [String] {
        let name = "x-amz-object-attributes"
        let text = request.call.headers.filter { $0.isNamed(name) }.map(\.value)
            .joined(separator: ",")
        guard !text.isEmpty else {
            throw .invalidRequest("Missing required header for this request: \(name)")
        }
        let names = text.split(separator: ",").map { String($0.filter { $0 != " " }) }
        for name in names where !attributeNames.contains(name) {
            throw .invalidArgument("Invalid attribute name specified.", name, text)
        }
        return names
    }

    /// A composite checksum without the number of its parts.
    private static func write(_ checksums: [HTTPHeader], to xml: inout XMLWriter) {
        guard let algorithm = UploadChecksum.algorithm(of: checksums) else { return }
        let value = checksums.value(algorithm.header) ?? ""
        xml.element(algorithm.element, String(value.prefix { $0 != "-" }))
        xml.element("ChecksumType", ifPresent: checksums.value(UploadChecksum.typeHeader))
    }
}

/// The selection of an object's parts.
private struct PartsPage {
    private let after: Int
    private let countMax: Int

    init(_ request: S3Request) throws(S3Failure) {
        after = try Self.number(request, "x-amz-part-number-marker") ?? 0
        countMax = min(
            try Self.number(request, "x-amz-max-parts") ?? S3Service.listedMax, S3Service.listedMax)
    }

    private static func number(_ request: S3Request, _ name: String) throws(S3Failure) -> Int? {
        guard let text = request.header(name) else { return nil }
        guard let number = Int32(text), number >= 0 else {
            throw .invalidArgument(
                "Argument \(name) must be an integer between 0 and 2147483647", name, text)
        }
        return Int(number)
    }

    func write(_ parts: ObjectParts, _ algorithm: ChecksumAlgorithm?, to xml: inout XMLWriter) {
        let following = parts.parts.drop { $0.number <= after }
        let page = following.prefix(countMax)
        xml.element("PartNumberMarker", after)
        xml.element("NextPartNumberMarker", page.last?.number ?? 0)
        xml.element("MaxParts", countMax)
        xml.element("IsTruncated", following.count > page.count ? "true" : "false")
        for part in page {
            xml.element("Part") { xml in
                xml.element("PartNumber", part.number)
                xml.element("Size", part.byteCount)
                if let algorithm { xml.element(algorithm.element, ifPresent: part.checksum) }
            }
        }
    }
}
