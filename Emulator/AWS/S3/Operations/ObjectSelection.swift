internal import Bytes
internal import HTTP

/// The requested bytes of an object.
enum ObjectSelection: Sendable {
    case whole
    case range(Range<Int>)
    /// A part of the object's multipart upload.
    case part(number: Int, Range<Int>)

    init(_ request: S3Request, of object: StoredObject) throws(S3Failure) {
        if request.hasFields, request.has("partNumber") {
            self = try Self.part(request, of: object)
            return
        }
        switch ByteRange(request.header("range"), of: object.byteCount) {
        case .whole: self = .whole
        case .part(let range): self = .range(range)
        case .unsatisfiable:
            throw S3Failure(
                416, "InvalidRange", "The requested range is not satisfiable",
                ("RangeRequested", request.header("range") ?? ""),
                ("ActualObjectSize", String(object.byteCount)))
        }
    }

    private static func part(
        _ request: S3Request, of object: StoredObject
    ) throws(S3Failure) -> ObjectSelection {
        guard request.header("range") == nil else {
            throw .invalidRequest(
                "Cannot specify both Range header and partNumber query parameter")
        }
        let number = try PartNumber.read(request)
        let parts = ObjectParts(object.headers)
        // An object from a single upload has one part.
        let range = parts == nil && number == 1 ? 0..<object.byteCount : parts?.part(number)?.range
        guard let range else {
            throw S3Failure(
                416, "InvalidPartNumber", "The requested partnumber is not satisfiable",
                ("PartNumberRequested", String(number)),
                ("ActualPartCount", String(parts?.parts.count ?? 1)))
        }
        // `Content-Range` cannot express an empty range.
        return range.isEmpty && parts == nil ? .whole : .part(number: number, range)
    }

    var isWhole: Bool {
        if case .whole = self { true } else { false }
    }

    func range(of object: StoredObject) -> Range<Int> {
        switch self {
        case .whole: 0..<object.byteCount
        case .range(let range), .part(_, let range): range
        }
    }

    /// The headers of a partial response.
    func headers(of object: StoredObject) -> [HTTPHeader] {
        let range = range(of: object)
        var headers = [
            HTTPHeader(
                "content-range",
                "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(object.byteCount)")
        ]
        if case .part = self, let parts = ObjectParts(object.headers) {
            headers.append(HTTPHeader("x-amz-mp-parts-count", String(parts.parts.count)))
        }
        return headers
    }

    /// For the whole object, this is the object's checksum. For a part, it is the part's own
    /// checksum if the object's checksum is composite. Other ranges have none.
    func checksums(of object: StoredObject) -> [HTTPHeader] {
        let stored = ObjectHeaders.checksums(object.headers)
        if range(of: object).count == object.byteCount,
            !ObjectHeaders.isComposite(stored) || isWhole
        {
            return stored
        }
        guard case .part(let number, _) = self, ObjectHeaders.isComposite(stored),
            let value = ObjectParts(object.headers)?.part(number)?.part.checksum
        else { return [] }
        return stored.map {
            $0.isNamed(UploadChecksum.typeHeader) ? $0 : HTTPHeader($0.name, value)
        }
    }
}
