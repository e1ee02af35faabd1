internal import Bytes
internal import Cryptography
internal import HTTP
internal import Time
internal import XML

extension S3Service {
    func completeUpload(_ exchange: S3OperationContext) throws(S3OperationFailure) -> S3Response {
        let id = exchange.request["uploadId"] ?? ""
        let (wanted, condition) = try checked { () throws(S3Failure) in
            (
                try CompletedParts(exchange.body, uploadID: id),
                try S3Preconditions.ofWrite(exchange.request)
            )
        }
        let (upload, all) = try read { database throws(ObjectStoreFailure) in
            (
                try database.upload(exchange.bucket, exchange.key, id),
                try database.parts(of: id, after: 0, rowsMax: PartNumber.range.count)
            )
        }
        guard let upload else { return try completedAgain(exchange, wanted) }
        let settings = UploadChecksum(upload.headers)
        let parts = try checked { () throws(S3Failure) in
            try Self.checkType(exchange.request, settings)
            let parts = try wanted.chosen(from: all, settings)
            try Self.checkSize(exchange.request, parts)
            return parts
        }
        let checksum = try checksum(settings, of: parts)
        try checked { () throws(S3Failure) in
            try Self.checkClaim(exchange.request, settings, checksum)
        }
        var headers = upload.headers.filter { !ObjectHeaders.isChecksum($0) }
        headers += ObjectHeaders.of(checksum, type: settings?.type ?? "")
        headers.append(ObjectParts.header(uploadID: id, parts))
        let object = StoredObject(
            key: exchange.key, byteCount: parts.reduce(0) { $0 + $1.byteCount }, etag: wanted.etag,
            modifiedAt: exchange.now, headers: headers, segments: parts.flatMap(\.segments))

        let outcome = try write { database throws(ObjectStoreFailure) -> WriteOutcome? in
            // The upload may have been completed or changed in the meantime.
            let current = try database.parts(of: id, after: 0, rowsMax: PartNumber.range.count)
            guard try database.upload(exchange.bucket, exchange.key, id) != nil,
                current == all
            else { return nil }
            if case .etag(let etag) = condition,
                let existing = try database.object(exchange.bucket, exchange.key),
                existing.etag.isSame(as: etag), existing.modifiedAt > upload.startedAt
            {
                return .changedMeanwhile
            }
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
        return Self.completed(exchange, etag: wanted.etag, headers)
    }

    private static func completed(
        _ exchange: S3OperationContext, etag: String, _ headers: [HTTPHeader]
    ) -> S3Response {
        let checksums = ObjectHeaders.checksums(headers)
        return S3Response(document: "CompleteMultipartUploadResult") { xml in
            xml.element("Location", "/\(exchange.bucket)/\(exchange.key)")
            xml.element("Bucket", exchange.bucket)
            xml.element("Key", exchange.key)
            xml.element("ETag", "\"\(etag)\"")
            if let algorithm = UploadChecksum.algorithm(of: checksums) {
                xml.element(algorithm.element, ifPresent: checksums.value(algorithm.header))
                xml.element("ChecksumType", ifPresent: checksums.value(UploadChecksum.typeHeader))
            }
        }
    }

    /// A client that lost the response may repeat the request, as long as the object is still the
    /// one that the upload created.
    private func completedAgain(
        _ exchange: S3OperationContext, _ wanted: CompletedParts
    ) throws(S3OperationFailure) -> S3Response {
        let object = try read { database throws(ObjectStoreFailure) in
            try database.object(exchange.bucket, exchange.key)
        }
        guard let object, let parts = ObjectParts(object.headers),
            parts.uploadID.isSame(as: wanted.uploadID), object.etag.isSame(as: wanted.etag)
        else { throw .refused(.noSuchUpload(wanted.uploadID)) }
        return Self.completed(exchange, etag: object.etag, object.headers)
    }
}

// The checks of headers that describe the completed object.
extension S3Service {
    private static func checkType(
        _ request: S3Request, _ settings: UploadChecksum?
    ) throws(S3Failure) {
        let type = settings?.type ?? "null"
        guard request.header(UploadChecksum.typeHeader)?.isSame(as: type) ?? true else {
            throw .invalidRequest(
                "The upload was created using the \(type) checksum mode. The complete request must "
                    + "use the same checksum mode.")
        }
    }

    private static func checkSize(
        _ request: S3Request, _ parts: [StoredPart]
    ) throws(S3Failure) {
        guard let text = request.header("x-amz-mp-object-size") else { return }
        let byteCount = parts.reduce(0) { $0 + $1.byteCount }
        guard Int(text) == byteCount else {
            throw .invalidRequest(
                "The provided 'x-amz-mp-object-size' header value \(text) does not match what was "
                    + "computed: \(byteCount)")
        }
    }

    private static func checkClaim(
        _ request: S3Request, _ settings: UploadChecksum?, _ checksum: Checksum?
    ) throws(S3Failure) {
        guard let settings, let checksum else { return }
        let claims = ChecksumAlgorithm.allCases.compactMap { algorithm in
            request.header(algorithm.header).map { Checksum(algorithm, $0) }
        }
        // The checksum of a full object counts only with its type.
        let isTyped = !settings.isFull || request.header(UploadChecksum.typeHeader) != nil
        guard claims.allSatisfy({ $0 == checksum && isTyped }) else {
            throw S3Failure(
                400, "BadDigest",
                "The \(settings.algorithm.rawValue.lowercased()) you specified did not match the "
                    + "calculated checksum.")
        }
    }

    /// The composite or the full checksum, as requested when the upload was created.
    private func checksum(
        _ settings: UploadChecksum?, of parts: [StoredPart]
    ) throws(S3OperationFailure) -> Checksum? {
        guard let settings else { return nil }
        guard settings.isFull else {
            let values = parts.flatMap { $0.checksum.flatMap { Base64.decode($0.value) } ?? [] }
            let whole = Checksum(settings.algorithm, of: values)
            return Checksum(settings.algorithm, "\(whole.value)-\(parts.count)")
        }
        let segments = parts.flatMap(\.segments)
        let byteCount = segments.reduce(0) { $0 + $1.byteCount }
        guard byteCount <= Self.answerBytesMax else { return nil }
        do throws(ObjectStoreFailure) {
            // If parts were replaced in the meantime, their bytes may be overwritten; then the
            // completion fails anyway.
            let read = try store.bytes { _ in (true, segments, 0..<byteCount) }
            return Checksum(settings.algorithm, of: read?.bytes ?? [])
        } catch {
            throw .storage(error)
        }
    }
}
