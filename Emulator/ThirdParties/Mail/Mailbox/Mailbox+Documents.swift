internal import JSON

/// Resources of SES that are stored by name.
enum MailDocumentKind: String, CaseIterable { case identity, template }

extension Mailbox {
    func document(
        _ kind: MailDocumentKind, _ name: String
    ) throws(MailboxFailure) -> JSON? {
        let bytes = try locked { state throws(MailboxFailure) in
            var bytes: [UInt8]?
            try state.database.run(.document, [.text(kind.rawValue), .text(name)]) {
                row throws(MailboxFailure) in
                bytes = try row.bytes(0)
                return false
            }
            return bytes
        }
        return try bytes.map { bytes throws(MailboxFailure) in try Self.read(bytes) }
    }

    /// The documents of a kind, ordered by name.
    func documents(
        _ kind: MailDocumentKind
    ) throws(MailboxFailure) -> [(name: String, body: JSON)] {
        let rows = try locked { state throws(MailboxFailure) in
            var rows: [(name: String, body: [UInt8])] = []
            try state.database.run(.documents, [.text(kind.rawValue)]) {
                row throws(MailboxFailure) in
                rows.append((String(decoding: try row.bytes(0), as: UTF8.self), try row.bytes(1)))
                return true
            }
            return rows
        }
        var documents: [(name: String, body: JSON)] = []
        for row in rows { documents.append((row.name, try Self.read(row.body))) }
        return documents
    }

    func put(_ kind: MailDocumentKind, _ name: String, _ body: JSON) throws(MailboxFailure) {
        try locked { state throws(MailboxFailure) in
            try state.database.run(
                .putDocument, [.text(kind.rawValue), .text(name), .bytes(body.serialized)])
        }
    }

    /// Returns false if there is no such document.
    func delete(_ kind: MailDocumentKind, _ name: String) throws(MailboxFailure) -> Bool {
        try locked { state throws(MailboxFailure) in
            var isFound = false
            try state.database.run(.deleteDocument, [.text(kind.rawValue), .text(name)]) { _ in
                isFound = true
                return true
            }
            return isFound
        }
    }

    private static func read(_ bytes: [UInt8]) throws(MailboxFailure) -> JSON {
        guard let json = try? JSON.parse(bytes, limits: MailDatabase.summaryLimits) else {
            throw .damaged
        }
        return json
    }
}
