internal import AuthComposition
internal import AuthOperations
internal import Bytes
internal import FunctionRuntime
internal import HTTP
internal import JSON

extension OperatorCommand {
    /// `latchkey oauth resource-metadata`
    static let resourceMetadata = OperatorCommand(
        CommandShape(
            name: "oauth resource-metadata", operands: ["URL"],
            summary: "Print the metadata of a resource (RFC 9728).",
            details: """
                URL is a server that tokens are for, such as an MCP server, exactly as in
                OAUTH_RESOURCES. Its name and scopes come from this setting, or without it from
                flags. The document, in JSON, is written to standard output. Where the server must
                publish it, and how it must answer requests without a token, is written to standard
                error:

                  https://tools.example.com/mcp publishes it at
                  https://tools.example.com/.well-known/oauth-protected-resource/mcp
                """,
            flags: [
                Flag("--issuer", "URL", "The provider. Default: the setting ISSUER"),
                Flag(
                    "--scope", "SCOPE",
                    "A scope that clients ask for; can be repeated. Default: all of\n"
                        + "OAUTH_RESOURCES", isRepeatable: true),
                Flag("--name", "NAME", "The name. Default: the one in OAUTH_RESOURCES"),
            ])
    ) { arguments, assembly throws(CommandFailure) in
        let settings = try starting { () throws(StartFailure) in
            try assembly.resourceSettings()
        }
        guard let issuer = arguments.text("--issuer") ?? settings.issuer else {
            throw CommandFailure(
                "the provider is not known: set ISSUER, or give --issuer https://…")
        }
        guard ProtectedResource.isURI(issuer) else {
            throw CommandFailure("the issuer must be an https URL (http only for this machine)")
        }
        let resource = try resource(arguments, settings.resources)
        try Terminal.print(text(resource.metadata(issuer: issuer)))
        let place = WellKnownURL.inserting(WellKnownURL.protectedResource, into: resource.uri)
        Terminal.say(
            """
            Serve it, as application/json and also without a token, at
              \(place.origin)\(place.path)
            Answer requests without a token with 401 and
              WWW-Authenticate: Bearer resource_metadata="\(place.origin)\(place.path)"
            """)
        return 0
    }

    private static func resource(
        _ arguments: CommandArguments, _ known: [ProtectedResource]?
    ) throws(CommandFailure) -> ProtectedResource {
        let uri = arguments.operands[0]
        guard ProtectedResource.isURI(uri) else {
            throw CommandFailure(
                "'\(uri)' is not a resource: it must be an https URL without a fragment (http only "
                    + "for this machine)")
        }
        let own = known?.first { $0.uri.isSame(as: uri) }
        if let known, own == nil {
            let uris = known.map(\.uri)
            throw CommandFailure(
                "\(uri) is not in OAUTH_RESOURCES"
                    + (uris.isEmpty ? "" : ", which has \(uris.joined(separator: ", "))"))
        }
        let words = arguments.all("--scope").flatMap { $0.split(separator: " ").map(String.init) }
        for word in words {
            let isWord = word.utf8.allSatisfy {
                (0x21...0x7E).contains($0) && !"\"\\".utf8.contains($0)
            }
            guard isWord else {
                throw CommandFailure("--scope '\(word)': a scope has no quotes and is ASCII")
            }
            if let own, !own.has(word) {
                throw CommandFailure(
                    "--scope \(word) is not a scope of \(uri) in OAUTH_RESOURCES"
                        + NearestName.hint(word, among: own.scopes.map(\.word)))
            }
        }
        var resource = ProtectedResource(
            uri: uri, name: arguments.text("--name").map { ["en": $0] } ?? own?.name ?? [:],
            scopes: words.isEmpty
                ? own?.scopes ?? []
                : words.map { ProtectedResource.ScopeWord(word: $0, meaning: [:]) })
        resource.requiresProof = own?.requiresProof ?? false
        return resource
    }

    /// One member on each line.
    private static func text(_ document: JSONObject) -> String {
        let lines = document.members.map { member in
            "  \(JSON.string(member.name).text): \(member.value.text)"
        }
        return "{\n" + lines.joined(separator: ",\n") + "\n}"
    }
}
