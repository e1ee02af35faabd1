internal import Bytes
internal import Cryptography
internal import EmulatorBase
internal import JSON

/// The `settings.json` of a new folder of recordings: the functions' environment during the
/// recording, so that it is the same in every replay.
package struct RecordingSettings: Sendable {
    /// The variables of all functions; of several with the same name the first counts.
    package var environment: [(name: String, value: String)]
    /// The base URL of the identity providers, `http://127.0.0.1:8000/_idp`.
    package var identityURL: String
    /// The base URL of the breached passwords.
    package var breachesURL: String
    /// Whether a function is an executable, which can be replayed without its template.
    package var hasExecutables: Bool

    package init(
        environment: [(name: String, value: String)], identityURL: String, breachesURL: String,
        hasExecutables: Bool
    ) {
        self.environment = environment
        self.identityURL = identityURL
        self.breachesURL = breachesURL
        self.hasExecutables = hasExecutables
    }

    /// Writes the file, unless the folder has one.
    package func write(to folder: String) throws(FixtureFailure) {
        let path = "\(folder)/\(FixtureSettings.fileName)"
        guard !Files.exists(path) else { return }
        try FixtureFiles.write(Array(text.utf8), to: path)
    }

    /// The contents of the file.
    package var text: String { JSON.object(settings).pretty }

    private var settings: JSONObject {
        // The environment variables. With a template, they are the emulator's.
        var variables: JSONObject =
            hasExecutables
            ? [
                "AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE",
                "AWS_SECRET_ACCESS_KEY": "c2VjcmV0LW9mLXRoZS1kZXBsb3ltZW50LTEyMw",
                "AWS_ENDPOINT_URL_STS": "<sts>",
            ] : [:]
        for (name, value) in environment where variables[name] == nil && isUsed(name, value) {
            variables[name] = replayed(name, value).map { .string($0) }
        }
        var settings: JSONObject = [
            "about": .string(
                "Written by the emulator: the functions' environment at the recording, with other "
                    + "values instead of secrets.")
        ]
        if let contract = variables["CONTRACT"] {
            settings["contract"] = contract
            variables["CONTRACT"] = "<contract>"
        }
        settings["environment"] = .object(variables)
        return settings
    }

    /// Variables that the emulator adds to every function, for traces and its certificates.
    private static let added = ["TRACE_PROVIDERS", "SSL_CERT_FILE"]
    private static let issuer = "_ISSUER"

    /// Every function also gets the issuers of all providers, such as `APPLE_ISSUER`. A function
    /// that uses one has another variable of that provider, such as `APPLE_CLIENT_IDS`.
    private func isUsed(_ name: String, _ value: String) -> Bool {
        guard !Self.added.containsText(name) else { return false }
        guard name.has(suffix: Self.issuer), value.has(prefix: identityURL) else { return true }
        let provider = String(name.dropLast(Self.issuer.utf8.count)) + "_"
        return environment.contains { $0.name.has(prefix: provider) && !$0.name.isSame(as: name) }
    }

    private static let secretWords = ["KEY", "SECRET", "PASSWORD", "TOKEN"]
    private static let plainEndings = [
        "_ID", "_ORIGINS", "_APPS", "_FILE", "_DAYS", "_MINUTES", "_MAX", "_AUDIENCE",
        // Any other URL may contain a password or a token.
        "BREACHED_PASSWORDS_URL",
    ]

    /// Whether the name suggests a secret: true for `JWT_SECRET`, false for `APPLE_KEY_ID` and
    /// `PASSKEY_ORIGINS`.
    private static func isSecret(_ name: String) -> Bool {
        !plainEndings.contains { name.has(suffix: $0) }
            && secretWords.contains { name.containsIgnoringCase($0) }
    }

    private static let appleKeyFile = "file:<appleKeyFile>"

    /// Secrets are not written; a different value of the same form has the same effect.
    private static func substitute(_ name: String, _ value: String) -> String? {
        if value.containsIgnoringCase("PRIVATE KEY-----") { return appleKeyFile }
        // There is no substitute for a password hash.
        guard !name.containsIgnoringCase("HASH") else { return nil }
        let prefix = value.has(prefix: "whsec_") ? "whsec_" : ""
        let bytes = SHA256.hash(utf8: name) + SHA256.hash(utf8: "\(name)2").prefix(16)
        return prefix + Base64.encode(bytes)
    }

    /// The value for replays; nil omits the variable.
    private func replayed(_ name: String, _ value: String) -> String? {
        // Each replay has its own store, key and mailbox.
        if name.isSame(as: "STORE") { return "sqlite:<directory>/latchkey.db" }
        if name.isSame(as: "MAIL_URL"), !value.isEmpty { return "smtp://127.0.0.1:9" }
        guard !value.isEmpty, !name.has(prefix: "AWS_") else { return nil }
        guard !value.has(prefix: "secretsmanager:"), !value.has(prefix: "ssm:") else {
            // The ID of a web client is refused without its secret or key.
            if name.isSame(as: "APPLE_PRIVATE_KEY") { return Self.appleKeyFile }
            return name.has(suffix: "_CLIENT_SECRET") ? Self.substitute(name, value) : nil
        }
        // An ARN is the name of a secret of the template.
        if Self.isSecret(name), !value.has(prefix: "arn:") { return Self.substitute(name, value) }
        return value.replacing(identityURL, with: "<idp>")
            .replacing(breachesURL, with: "<idp>/breaches")
    }
}
