internal import AWSClients
internal import AWSSignature
internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Cryptography
internal import Time

/// Copies the objects of a user into the prefix of another user, within S3, with credentials that
/// can read the one prefix and add to the other.
///
/// An object keeps its name below the prefix. If the other user has an object of the same name,
/// both are kept: the copy gets a suffix made from its own content, so that a repeated run makes no
/// second copy.
struct StorageCopy: Sendable {
    let sessions: StorageSessions

    /// Pages are small, so that the position in the list is stored often.
    private static let objectsPerPage = 100

    func copy(
        _ copy: ObjectCopy, until end: Instant
    ) throws(ErasureFailure) -> ObjectCopy.Progress {
        let place = sessions.place
        guard let source = StoragePrefix(template: place.prefixTemplate, user: copy.user.text),
            let target = StoragePrefix(template: place.prefixTemplate, user: copy.other.text)
        else { throw .refused }
        let policy = StoragePolicy(
            copying: source, to: target, bucket: place.bucket, partition: place.partition)
        let s3 = try sessions.client(for: copy.other, source: copy.user, policy)
        do throws(AWSFailure) {
            let objects = try s3.objects(
                prefix: source.text, after: copy.position.map { source.text + $0 },
                max: Self.objectsPerPage)
            guard !objects.isEmpty else { return .complete }
            var position = copy.position
            for object in objects {
                guard sessions.ports.clock.now() < end else { break }
                let name = String(
                    decoding: object.key.utf8.dropFirst(source.text.utf8.count), as: UTF8.self)
                try self.copy(object, named: name, to: target, s3)
                position = name
            }
            guard let position, position != copy.position else { return .outOfTime }
            return .upTo(position)
        } catch {
            throw error.isTransient ? .unavailable : .refused
        }
    }

    private func copy(
        _ object: S3Client.ListedObject, named name: String, to target: StoragePrefix,
        _ s3: S3Client
    ) throws(AWSFailure) {
        let key = target.text + name
        guard try s3.copy(object.key, to: key) == .exists else { return }
        let found = try s3.objects(prefix: key, after: nil, max: 1).first
        if let found, found.key.isSame(as: key), Self.isCopy(found, of: object) { return }
        _ = try s3.copy(object.key, to: key + Self.suffix(of: object))
    }

    /// The copy of an object that was uploaded in parts has another entity tag, which does not
    /// contain the number of parts.
    private static func isCopy(
        _ found: S3Client.ListedObject, of object: S3Client.ListedObject
    ) -> Bool {
        guard found.byteCount == object.byteCount else { return false }
        return found.etag.isSame(as: object.etag)
            || object.etag.utf8.contains(UInt8(ascii: "-"))
                && !found.etag.utf8.contains(UInt8(ascii: "-"))
    }

    private static func suffix(of object: S3Client.ListedObject) -> String {
        let digest = SHA256.hash(Array("\(object.key)\0\(object.etag)".utf8))
        return ".merged-\(Hex.encode(Array(digest.prefix(4))))"
    }
}
