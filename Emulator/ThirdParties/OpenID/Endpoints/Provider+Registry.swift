internal import Bytes
internal import EmulatorBase
internal import JSON

/// `{issuer}/clients` and `{issuer}/accounts`: registers clients and accounts.
extension Provider {
    func clientsEndpoint(_ exchange: OpenIDRequest) throws(OAuthError) -> OpenIDReply {
        guard let id = exchange.member else {
            return .now(.json(["clients": .array(try clients().map(\.json))]))
        }
        guard ClientDefinition.isID(id) else {
            throw .own(400, "A client id must be 1 to 255 visible ASCII characters other than /.")
        }
        switch exchange.request.method {
        case "PUT":
            let json = try exchange.json()
            let client = try OpenIDRequest.reading { () throws(DefinitionFailure) in
                try ClientDefinition(json, id: id)
            }
            try register(client)
            return .now(.json(client.json))
        case "DELETE":
            try unregister(id)
            return .now(ServerResponse(status: 204))
        default:
            guard let client = try clients().first(where: { $0.id.isSame(as: id) }) else {
                throw .own(404, "Client not found.")
            }
            return .now(.json(client.json))
        }
    }

    private static let accountMembers = ["email", "name", "sub", "emailVerified"]

    func accountsEndpoint(_ exchange: OpenIDRequest) throws(OAuthError) -> OpenIDReply {
        guard exchange.request.method == "POST" else {
            return .now(.json(["accounts": .array(try accounts().map(json))]))
        }
        let body = try exchange.json()
        let account = try OpenIDRequest.reading { () throws(DefinitionFailure) in
            let reader = try DefinitionReader(body, "account", members: Self.accountMembers)
            let name = try reader.text("name", bytesMax: OpenIDAccount.nameBytesMax)
            guard let email = try reader.text("email"),
                var account = OpenIDAccount(email: email, name: name)
            else { throw DefinitionFailure("account: email is not a valid e-mail address") }
            account.ownSubject = try reader.text("sub", bytesMax: OpenIDAccount.subjectBytesMax)
            account.isEmailVerified = try reader.flag("emailVerified") ?? true
            return account
        }
        try keep(account)
        return .now(.json(json(account), status: 201))
    }

    private func json(_ account: OpenIDAccount) -> JSON {
        [
            "email": .string(account.email), "name": .string(account.name),
            "sub": .string(account.subject(definition, teamID: nil)),
            "emailVerified": .bool(account.isEmailVerified),
        ]
    }
}
