internal import Bytes
internal import JSON

/// The session policy that restricts storage credentials to one prefix. A session has the
/// intersection of this and the role's own policy.
package struct StoragePolicy: Equatable, Sendable {
    package enum Access: String, CaseIterable, Sendable { case read, readwrite }

    package let text: String

    package init(bucket: BucketName, partition: String, prefix: StoragePrefix, access: Access) {
        let reading: [JSON] = ["s3:GetObject"]
        let writing: [JSON] = [
            "s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload",
            "s3:ListMultipartUploadParts",
        ]
        self.init(bucket, partition, prefix, access == .read ? reading : writing)
    }

    /// The policy that erases everything below a prefix, without permission to read or write. The
    /// permission to list uploads in progress covers the whole bucket, because the action has no
    /// condition for a prefix (Service Authorization Reference, Amazon S3).
    package init(erasing prefix: StoragePrefix, bucket: BucketName, partition: String) {
        self.init(
            bucket, partition, prefix, ["s3:DeleteObject", "s3:AbortMultipartUpload"],
            onBucket: ["s3:ListBucketMultipartUploads"])
    }

    /// The policy that copies everything below the prefix of one user to the prefix of another
    /// user, without permission to change or delete the originals.
    package init(
        copying source: StoragePrefix, to prefix: StoragePrefix, bucket: BucketName,
        partition: String
    ) {
        let bucketARN = "arn:\(partition):s3:::\(bucket.text)"
        let policy: JSON = [
            "Version": "2012-10-17",
            "Statement": [
                [
                    "Effect": "Allow", "Action": "s3:GetObject",
                    "Resource": .string("\(bucketARN)/\(source.text)*"),
                ],
                [
                    "Effect": "Allow", "Action": "s3:PutObject",
                    "Resource": .string("\(bucketARN)/\(prefix.text)*"),
                ],
                [
                    "Effect": "Allow", "Action": "s3:ListBucket",
                    "Resource": .string(bucketARN),
                    "Condition": [
                        "StringLike": [
                            "s3:prefix": [
                                .string("\(source.text)*"), .string("\(prefix.text)*"),
                            ]
                        ]
                    ],
                ],
            ],
        ]
        text = policy.text
    }

    private init(
        _ bucket: BucketName, _ partition: String, _ prefix: StoragePrefix, _ actions: [JSON],
        onBucket bucketActions: [JSON] = []
    ) {
        let bucketARN = "arn:\(partition):s3:::\(bucket.text)"
        var statements: [JSON] = [
            [
                "Effect": "Allow",
                "Action": .array(actions),
                "Resource": .string("\(bucketARN)/\(prefix.text)*"),
            ],
            // ListBucket applies to the bucket, so it needs a condition.
            [
                "Effect": "Allow",
                "Action": "s3:ListBucket",
                "Resource": .string(bucketARN),
                "Condition": [
                    "StringLike": ["s3:prefix": .string("\(prefix.text)*")]
                ],
            ],
        ]
        if !bucketActions.isEmpty {
            statements.append([
                "Effect": "Allow",
                "Action": .array(bucketActions),
                "Resource": .string(bucketARN),
            ])
        }
        let policy: JSON = ["Version": "2012-10-17", "Statement": .array(statements)]
        text = policy.text
    }

    /// STS's limit: https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html
    package static let charactersMax = 2048

    package var isWithinLimit: Bool { text.unicodeScalars.count <= Self.charactersMax }
}

/// A bucket name that satisfies S3's rules, so that it cannot change the meaning of an ARN.
package struct BucketName: Equatable, Sendable {
    package let text: String

    package init?(parsing raw: String) {
        let bytes = Array(raw.utf8)
        guard (3...63).contains(bytes.count) else { return nil }
        func isAlphanumeric(_ byte: UInt8) -> Bool {
            byte.isLowercase
                || byte.isDigit
        }
        guard isAlphanumeric(bytes[0]), isAlphanumeric(bytes[bytes.count - 1]),
            bytes.allSatisfy({
                isAlphanumeric($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
            }),
            !bytes.contains(text: "..")
        else { return nil }
        text = raw
    }
}
