internal import Bytes
internal import Cryptography
internal import HTTP
internal import Time
internal import XML

extension S3Service {
    /// The minimum size of every part except the last.
    static let partBytesMin = 5 << 20
    private static let completeLimits = XMLLimits(
        bytesMax: 4 << 20, depthMax: 4, elementsMax: 80_000)

    func completeUpload(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        let id = exchange.request["uploadId"] ?? ""
        let wanted = try checked { () throws(S3Failure) in try Self.partList(exchange) }
        let condition = try checked { () throws(S3Failure) in
            try S3Preconditions.ofWrite(exchange.request)
        }
        let (upload, all) = try read { database throws(ObjectStoreFailure) in
            (
                try database.upload(exchange.bucket, exchange.key, id),
                try database.parts(of: id, after: 0, rowsMax: PartNumber.range.count)
            )
        }
        guard let upload else { throw .refused(.noSuchUpload(id)) }
        let parts = try checked { () throws(S3Failure) in try Self.chosen(wanted, from: all) }
        let digests = parts.flatMap { Hex.decode($0.etag) ?? [] }
        let etag = "\(Hex.encode(BrokenDigest.md5(digests)))-\(parts.count)"
        let checksum = try checksum(of: upload, parts, exchange)
        var headers = upload.headers.filter { !ObjectHeaders.isChecksum($0) }
        headers += checksum.map { ObjectHeaders.of($0.checksum, type: $0.type) } ?? []
        let object = StoredObject(
            key: exchange.key, byteCount: parts.reduce(0) { $0 + $1.byteCount }, etag: etag,
            modifiedAt: exchange.now, headers: headers, segments: parts.flatMap(\.segments))

        let outcome = try write { database throws(ObjectStoreFailure) -> WriteOutcome? in
            // The upload may have been completed or changed meanwhile.
            let current = try database.parts(of: id, after: 0, rowsMax: PartNumber.range.count)
            guard try database.upload(exchange.bucket, exchange.key, id) != nil,
                current == all
            else { return nil }
            let outcome = try database.put(object, in: exchange.bucket, if: condition)
            guard outcome == .done else { return outcome }
            let used = Set(parts.map(\.number))
            try database.end(
                upload, in: exchange.bucket,
                releasing: current.filter { !used.contains($0.number) })
            return outcome
        }
        guard let outcome else { throw .refused(.noSuchUpload(id)) }
        try Self.check(outcome, condition, exchange.key)
        return S3Response(document: "CompleteMultipartUploadResult") { xml in
            xml.element("Location", "/\(exchange.bucket)/\(exchange.key)")
            xml.element("Bucket", exchange.bucket)
            xml.element("Key", exchange.key)
            xml.element("ETag", "\"\(etag)\"")
            if let checksum {
                xml.element(checksum.checksum.algorithm.element, checksum.checksum.value)
                xml.element("ChecksumType", checksum.type)
            }
        }
    }

    private struct WantedPart {
        let number: Int
        let etag: String
    }

    private static func partList(_ exchange: S3OperationContext) throws(S3Failure) -> [WantedPart] {
        let payload = try exchange.body.payload()
        guard let document = try? XMLElement.parse(payload.bytes, limits: completeLimits),
            document.name == "CompleteMultipartUpload"
        else { throw .malformedXML }
        var parts: [WantedPart] = []
        for element in document.children where element.name == "Part" {
            guard let number = element["PartNumber"].flatMap({ Int($0.text) }),
                let etag = element["ETag"]?.text, PartNumber.range.contains(number)
            else { throw .malformedXML }
            guard parts.last.map({ $0.number < number }) ?? true else {
                throw S3Failure(
                    400, "InvalidPartOrder",
                    "The list of parts was not in ascending order. Parts must be ordered by part "
                        + "number.")
            }
            parts.append(WantedPart(number: number, etag: S3Preconditions.bare(etag[...])))
        }
        guard !parts.isEmpty else { throw .malformedXML }
        return parts
    }

    private static func chosen(
        _ wanted: [WantedPart], from parts: [StoredPart]
    ) throws(S3Failure) -> [StoredPart] {
        var chosen: [StoredPart] = []
        for (index, want) in wanted.enumerated() {
            guard let part = parts.first(where: { $0.number == want.number }),
                part.etag.isSame(as: want.etag)
            else {
                throw S3Failure(
                    400, "InvalidPart",
                    "One or more of the specified parts could not be found.  The part may not have "
                        + "been uploaded, or the specified entity tag may not match the part's "
                        + "entity tag.", ("PartNumber", String(want.number)),
                    ("ETag", want.etag))
            }
            guard part.byteCount >= partBytesMin || index == wanted.count - 1 else {
                throw S3Failure(
                    400, "EntityTooSmall",
                    "Your proposed upload is smaller than the minimum allowed size",
                    ("ProposedSize", String(part.byteCount)),
                    ("MinSizeAllowed", String(partBytesMin)),
                    ("PartNumber", String(part.number)), ("ETag", part.etag))
            }
            chosen.append(part)
        }
        return chosen
    }

    /// The composite or the full checksum, as requested when the upload was created.
    private func checksum(
        of upload: StoredUpload, _ parts: [StoredPart], _ exchange: S3OperationContext
    ) throws(S3OperationFailure) -> (checksum: Checksum, type: String)? {
        guard let wanted = UploadChecksum(upload.headers) else { return nil }
        let checksum: Checksum
        if wanted.isFull {
            let segments = parts.flatMap(\.segments)
            let byteCount = segments.reduce(0) { $0 + $1.byteCount }
            guard byteCount <= Self.answerBytesMax else { return nil }
            do throws(ObjectStoreFailure) {
                // If parts were replaced meanwhile, their bytes may be overwritten; then the
                // completion fails anyway.
                let read = try store.bytes { _ in (true, segments, 0..<byteCount) }
                checksum = Checksum(wanted.algorithm, of: read?.bytes ?? [])
            } catch {
                throw .storage(error)
            }
        } else {
            let values = parts.flatMap { part -> [UInt8] in
                guard let own = part.checksum, own.algorithm == wanted.algorithm else { return [] }
                return Base64.decode(own.value) ?? []
            }
            let whole = Checksum(wanted.algorithm, of: values)
            checksum = Checksum(wanted.algorithm, "\(whole.value)-\(parts.count)")
        }
        if let claimed = exchange.request.header(wanted.algorithm.header) {
            guard claimed.split(separator: "-").first == checksum.value.split(separator: "-").first
            else {
                throw .refused(
                    S3Failure(
                        400, "BadDigest",
                        "The \(wanted.algorithm.rawValue) you specified did not match the "
                            + "calculated checksum."))
            }
        }
        return (checksum, wanted.type)
    }
}
