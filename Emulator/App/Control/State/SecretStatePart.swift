internal import EmulatorAWS
internal import JSON
internal import Time

/// Secrets, in plain text: without the master key the other records are unreadable.
struct SecretStatePart: StatePart {
    let service: SecretsService

    let kinds = ["secret"]

    func page(from position: JSON?) throws -> (records: [JSON], next: JSON?) {
        let records = service.all.map { secret -> JSON in
            [
                "kind": "secret", "name": .string(secret.name), "arn": .string(secret.arn),
                "text": .string(secret.text),
                "createdAt": .string(secret.createdAt.iso8601Milliseconds),
            ]
        }
        return (records, nil)
    }

    func take(_ record: JSON) throws {
        guard let createdAt = Instant(iso8601: try record.required("createdAt")) else {
            throw StateFailure("createdAt: not an ISO 8601 time")
        }
        try service.put(
            StoredSecret(
                name: try record.required("name"), arn: try record.required("arn"),
                text: try record.required("text"), createdAt: createdAt))
    }

    func clear() throws { try service.removeAll() }
}
