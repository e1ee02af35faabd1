internal import Bytes
internal import HTTP

/// The parts of the multipart upload that created an object: needed for requests for a single part,
/// and to recognise a repeated CompleteMultipartUpload.
///
/// Stored as a header of the object that is never sent.
struct ObjectParts {
    struct Part {
        let number: Int
        let byteCount: Int
        /// The checksum in base64, with the algorithm of the object's checksum.
        let checksum: String?
    }

    /// The name is chosen so that removing an object's checksums removes the parts too.
    static let header = "x-amz-checksum-parts"

    let uploadID: String
    let parts: [Part]

    /// nil if the object was not made of parts.
    init?(_ headers: [HTTPHeader]) {
        guard let text = headers.value(Self.header) else { return nil }
        let words = text.split(separator: " ")
        guard let id = words.first else { return nil }
        uploadID = String(id)
        parts = words.dropFirst().compactMap { word in
            let fields = word.split(separator: ":")
            guard fields.count >= 2, let number = Int(fields[0]), let count = Int(fields[1]) else {
                return nil
            }
            return Part(
                number: number, byteCount: count,
                checksum: fields.count == 3 ? String(fields[2]) : nil)
        }
    }

    static func header(uploadID: String, _ parts: [StoredPart]) -> HTTPHeader {
        let words = parts.map { part in
            "\(part.number):\(part.byteCount)" + (part.checksum.map { ":\($0.value)" } ?? "")
        }
        return HTTPHeader(header, ([uploadID] + words).joined(separator: " "))
    }

    /// A part with the place of its bytes; nil if there is no part with that number.
    func part(_ number: Int) -> (part: Part, range: Range<Int>)? {
        var start = 0
        for part in parts {
            if part.number == number { return (part, start..<(start + part.byteCount)) }
            start += part.byteCount
        }
        return nil
    }
}
