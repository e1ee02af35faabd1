import AuthComposition
import Contracts
import TestSupport

/// The tables of `docs/configuration.md` list exactly the variables that are read.
@Suite("Configuration table") struct ConfigurationTableTests {
    @Test func `the document lists the variables that the sources read`() throws {
        let read = try DocumentedSettings.inSources()
        let documented = try DocumentedSettings.documented()
        expectEqual(read.subtracting(documented).sorted(), [], "missing in docs/configuration.md")
        expectEqual(Set(documented).subtracting(read).sorted(), [], "no longer read")
    }

    /// A name that is missing there is not suggested for a misspelt one.
    @Test func `the settings for spelling hints match the document`() throws {
        let own = Set(SettingNames.own.description.split(separator: " ").map(String.init))
        let platforms = [
            "AWS_", "LISTEN_", "SSL_CERT_", "CURL_CA_BUNDLE", "CREDENTIALS_DIRECTORY", "PORT",
            "combine_output", "OIDC_<NAME>_", "SYSTEMD_",
        ]
        let contracts = Set(Contract.all.flatMap(\.settingNames.values))
        let documented = try DocumentedSettings.documented().filter { name in
            !platforms.contains(where: name.hasPrefix) && !contracts.contains(name)
                && name != "MAIL"
        }
        let file = "Sources/Auth/Composition/Settings/SettingNames.swift"
        expectEqual(Set(documented).subtracting(own).sorted(), [], "missing in \(file)")
        expectEqual(own.subtracting(documented).sorted(), [], "only in \(file)")
    }

    @Test func `the document lists each variable once`() throws {
        let documented = try DocumentedSettings.documented()
        expectEqual(documented.count, Set(documented).count)
        #expect(documented.count > 30)
    }

    @Test(arguments: [
        (#"if let raw = environment["BASE_PATH"] {"#, ["BASE_PATH"]),
        (#"environment["combine_output"] ?? "true""#, ["combine_output"]),
        (#"reader.text("STORE")"#, ["STORE"]),
        (
            #"for name in ["SSL_CERT_FILE", "CURL_CA_BUNDLE"] {"#,
            ["CURL_CA_BUNDLE", "SSL_CERT_FILE"]
        ),
        (
            #"reader.text("\(prefix)_ISSUER")"#,
            ["APPLE_ISSUER", "GOOGLE_ISSUER", "OIDC_<NAME>_ISSUER"]
        ),
        (#"["AWS_X_\(service.suffix)"]"#, ["AWS_X_<SERVICE>"]),
        (#"reader.refuse("STORAGE_BUCKET is required")"#, []),
        (#"event.text("rawPath")"#, []),
        (#"environment["Http_Method"]"#, []),
        (#"let prefix = "OIDC_" + name"#, []),
    ])
    func `the scan distinguishes variables from other texts`(line: String, names: [String]) {
        expectEqual(DocumentedSettings.names(in: line).sorted(), names)
    }
}
