internal import Bytes
internal import Cryptography
internal import XML

/// The list of parts in the body of CompleteMultipartUpload.
struct CompletedParts {
    struct Part {
        let number: Int
        let etag: String
        let checksums: [Checksum]
    }

    /// The minimum size of every part except the last.
    static let partBytesMin = 5 << 20
    private static let limits = XMLLimits(bytesMax: 4 << 20, depthMax: 4, elementsMax: 80_000)

    let uploadID: String
    let parts: [Part]

    init(_ body: BodyReader, uploadID: String) throws(S3Failure) {
        guard let document = try? XMLElement.parse(body.payload().bytes, limits: Self.limits),
            document.name == "CompleteMultipartUpload"
        else { throw .malformedXML }
        self.uploadID = uploadID
        var parts: [Part] = []
        for element in document.children where element.name == "Part" {
            let part = try Self.part(element)
            if let last = parts.last, last.number >= part.number {
                guard last.number == part.number else {
                    throw S3Failure(
                        400, "InvalidPartOrder",
                        "The list of parts was not in ascending order. Parts must be ordered by "
                            + "part number.", ("UploadId", uploadID))
                }
                // If a part number is listed twice, the last entry counts.
                parts.removeLast()
            }
            parts.append(part)
        }
        guard !parts.isEmpty else { throw .invalidRequest("You must specify at least one part") }
        self.parts = parts
    }

    private static func part(_ element: XMLElement) throws(S3Failure) -> Part {
        guard let number = element["PartNumber"].flatMap({ Int($0.text) }),
            let etag = element["ETag"]?.text, PartNumber.range.contains(number)
        else { throw .malformedXML }
        let checksums = ChecksumAlgorithm.allCases.compactMap { algorithm in
            element[algorithm.element].map { Checksum(algorithm, $0.text) }
        }
        return Part(number: number, etag: S3Preconditions.bare(etag[...]), checksums: checksums)
    }

    /// The entity tag of an object of these parts.
    var etag: String {
        let digests = parts.flatMap { Hex.decode($0.etag) ?? [] }
        return "\(Hex.encode(BrokenDigest.md5(digests)))-\(parts.count)"
    }

    /// The uploaded parts, if all match.
    func chosen(
        from uploaded: [StoredPart], _ wanted: UploadChecksum?
    ) throws(S3Failure) -> [StoredPart] {
        var chosen: [StoredPart] = []
        for (index, part) in parts.enumerated() {
            guard let found = uploaded.first(where: { $0.number == part.number }),
                found.etag.isSame(as: part.etag)
            else { throw invalid(part) }
            try check(part, found, wanted)
            guard found.byteCount >= Self.partBytesMin || index == parts.count - 1 else {
                throw S3Failure(
                    400, "EntityTooSmall",
                    "Your proposed upload is smaller than the minimum allowed size",
                    ("ProposedSize", String(found.byteCount)),
                    ("MinSizeAllowed", String(Self.partBytesMin)),
                    ("PartNumber", String(found.number)), ("ETag", found.etag))
            }
            chosen.append(found)
        }
        return chosen
    }

    private func check(
        _ part: Part, _ found: StoredPart, _ wanted: UploadChecksum?
    ) throws(S3Failure) {
        guard let wanted else {
            guard part.checksums.isEmpty else { throw invalid(part) }
            return
        }
        if let checksum = part.checksums.first(where: { $0.algorithm == wanted.algorithm }) {
            guard checksum == found.checksum else { throw invalid(part) }
            return
        }
        guard !wanted.isFull else { return }
        if let other = part.checksums.first {
            throw S3Failure(
                400, "BadDigest",
                "The \(other.algorithm.rawValue.lowercased()) you specified for part "
                    + "\(part.number) did not match what we received.")
        }
        throw .invalidRequest(
            "The upload was created using a \(wanted.algorithm.rawValue.lowercased()) checksum. "
                + "The complete request must include the checksum for each part. It was missing "
                + "for part \(part.number) in the request.")
    }

    private func invalid(_ part: Part) -> S3Failure {
        S3Failure(
            400, "InvalidPart",
            "One or more of the specified parts could not be found.  The part may not have been "
                + "uploaded, or the specified entity tag may not match the part's entity tag.",
            ("PartNumber", String(part.number)), ("ETag", part.etag), ("UploadId", uploadID))
    }
}
