internal import Foundation
internal import LatchkeyClient

/// An upload in parts.
struct MultipartUpload: Sendable {
    let bucket: Bucket
    let object: BucketObject
    let source: FileSource
    let options: UploadOptions
    let report: @Sendable (_ sentBytes: Int, UnfinishedUpload?) -> Void

    /// The header with the mark of the upload, which the object keeps: see `complete`.
    private static let markHeader = "x-amz-meta-latchkey-upload"

    func run(
        _ plan: PartPlan, contentType: String?, resuming old: UnfinishedUpload?
    ) async throws(UploadError) {
        let upload: UnfinishedUpload
        var tags: [Int: String] = [:]
        var plan = plan
        if let old {
            guard old.key == object.key, old.totalBytes == source.byteCount,
                old.modifiedAt == source.modifiedAt
            else { throw .fileChanged }
            upload = old
            plan = try PartPlan(bytes: old.totalBytes, partBytes: old.partBytes)
            tags = try await sentParts(of: upload, plan)
        } else {
            upload = try await begin(plan, contentType)
        }
        do throws(UploadError) {
            try await sendParts(of: upload, plan, &tags)
            try await complete(upload, tags)
        } catch {
            guard !options.keepsParts || error == .fileChanged else { throw error }
            // This task is unstructured, and awaited, because cancelling the upload must not cancel
            // it.
            await Task { try? await bucket.abort(upload.uploadID, of: object) }.value
            throw error
        }
    }

    private func begin(
        _ plan: PartPlan, _ contentType: String?
    ) async throws(UploadError) -> UnfinishedUpload {
        var random = Options()
        random.random = options.random
        let mark = random.randomText(bytes: 16)
        var headers = [Self.markHeader: mark]
        headers["Content-Type"] = contentType
        let answer = try await bucket.send(
            "POST", object, query: [("uploads", "")], headers: headers)
        guard let id = XMLText.first("UploadId", in: answer.body), !id.isEmpty else {
            throw .unavailable
        }
        return UnfinishedUpload(
            key: object.key, uploadID: id, partBytes: plan.partBytes, totalBytes: source.byteCount,
            modifiedAt: source.modifiedAt, mark: mark)
    }

    /// The tags of the parts that the storage already has, by part number.
    private func sentParts(
        of upload: UnfinishedUpload, _ plan: PartPlan
    ) async throws(UploadError) -> [Int: String] {
        var tags: [Int: String] = [:]
        var marker = 0
        while true {
            let page: PartPage
            do throws(UploadError) {
                page = try await bucket.parts(of: upload.uploadID, of: object, after: marker)
            } catch .refused(404, _) {
                throw .unfinishedUploadGone
            }
            for part in page.parts where (1...plan.count).contains(part.number) {
                if part.bytes == plan.range(part.number).count { tags[part.number] = part.tag }
            }
            guard let next = page.next, next > marker else { return tags }
            marker = next
        }
    }

    private func sendParts(
        of upload: UnfinishedUpload, _ plan: PartPlan, _ tags: inout [Int: String]
    ) async throws(UploadError) {
        var sent = tags.keys.reduce(0) { $0 + plan.range($1).count }
        report(sent, upload)
        let done = tags
        var missing = (1...plan.count).filter { done[$0] == nil }.makeIterator()
        do {
            try await withThrowingTaskGroup(of: (number: Int, tag: String).self) { group in
                func add(_ number: Int?) {
                    guard let number else { return }
                    group.addTask { (number, try await send(number, of: upload, plan)) }
                }
                // At most this many parts are in memory at a time.
                for _ in 0..<max(options.partsAtOnce, 1) { add(missing.next()) }
                while let part = try await group.next() {
                    tags[part.number] = part.tag
                    sent += plan.range(part.number).count
                    report(sent, upload)
                    add(missing.next())
                }
            }
        } catch {
            throw error as? UploadError ?? .cancelled
        }
    }

    private func send(
        _ number: Int, of upload: UnfinishedUpload, _ plan: PartPlan
    ) async throws(UploadError) -> String {
        let body = try await source.read(plan.range(number))
        let answer = try await bucket.send(
            "PUT", object, query: [("partNumber", "\(number)"), ("uploadId", upload.uploadID)],
            body: body)
        guard let tag = answer.header("etag"), !tag.isEmpty else { throw .unavailable }
        return tag
    }

    private func complete(
        _ upload: UnfinishedUpload, _ tags: [Int: String]
    ) async throws(UploadError) {
        let parts = tags.sorted { $0.key < $1.key }.map { number, tag in
            "<Part><PartNumber>\(number)</PartNumber><ETag>\(XMLText.escaped(tag))</ETag></Part>"
        }
        let body = "<CompleteMultipartUpload>\(parts.joined())</CompleteMultipartUpload>"
        do throws(UploadError) {
            _ = try await bucket.send(
                "POST", object, query: [("uploadId", upload.uploadID)],
                headers: ["Content-Type": "application/xml"], body: Data(body.utf8))
        } catch .refused(404, let code) {
            // The completion may have succeeded earlier, with its response lost: then the object
            // has this upload's mark.
            let answer = try await bucket.send("HEAD", object)
            guard answer.header(Self.markHeader) == upload.mark else {
                throw .refused(status: 404, code: code)
            }
        }
    }
}

/// A page of the list of parts.
struct PartPage: Sendable {
    let parts: [(number: Int, tag: String, bytes: Int)]
    /// The part number after which the next page begins.
    let next: Int?
}

extension Bucket {
    func put(
        _ body: Data, to object: BucketObject, contentType: String?
    ) async throws(UploadError) {
        var headers: [String: String] = [:]
        headers["Content-Type"] = contentType
        _ = try await send("PUT", object, headers: headers, body: body)
    }

    func parts(
        of uploadID: String, of object: BucketObject, after marker: Int
    ) async throws(UploadError) -> PartPage {
        let answer = try await send(
            "GET", object,
            query: [("part-number-marker", "\(marker)"), ("uploadId", uploadID)])
        let parts = XMLText.all("Part", in: answer.body).compactMap { text in
            let part = Data(text.utf8)
            return XMLText.first("PartNumber", in: part).flatMap { Int($0) }.flatMap { number in
                XMLText.first("ETag", in: part).flatMap { tag in
                    XMLText.first("Size", in: part).flatMap { Int($0) }.map { (number, tag, $0) }
                }
            }
        }
        let isMore = XMLText.first("IsTruncated", in: answer.body) == "true"
        let next = XMLText.first("NextPartNumberMarker", in: answer.body).flatMap { Int($0) }
        return PartPage(parts: parts, next: isMore ? next : nil)
    }

    /// Removes an upload. A part that arrives later would remain, so the upload is checked again
    /// afterwards.
    func abort(_ uploadID: String, of object: BucketObject) async throws(UploadError) {
        for _ in 0..<3 {
            do throws(UploadError) {
                _ = try await send("DELETE", object, query: [("uploadId", uploadID)])
                _ = try await parts(of: uploadID, of: object, after: 0)
            } catch .refused(404, _) {
                return
            }
        }
    }
}
