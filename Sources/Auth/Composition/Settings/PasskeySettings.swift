internal import AuthOperations
internal import Bytes
internal import FunctionRuntime
internal import WebAuthn

/// `PASSKEY_*`: the relying party ID, and the origins and apps that may use its passkeys.
struct PasskeySettings: ServicePart {
    let services: PasskeyServices

    func install(in services: inout OptionalServices, _ context: ServiceContext) {
        services.passkeys = self.services
    }

    /// The RP ID of a deployment without a setting: the host of its issuer; `localhost` for an IP
    /// address of this machine, which is not a domain. nil for any other address.
    static func standardID(issuer: String) -> RelyingPartyID? {
        guard let host = host(issuer) else { return nil }
        let isLocal = host.isSame(as: "127.0.0.1") || host.isSame(as: "[::1]")
        return RelyingPartyID(parsing: isLocal ? "localhost" : String(host))
    }

    /// nil if no endpoint needs passkeys, or if an error was reported to `reader`.
    static func read(
        _ reader: inout SettingsReader, for needs: ServiceNeeds, issuer: String
    ) -> PasskeySettings? {
        let isRequired = !needs.isDisjoint(with: [.passkeys, .relyingParty])
        guard isRequired || needs.contains(.passkeyFactor) else { return nil }
        // Without a usable RP ID, no passkey can exist yet.
        if !isRequired, reader.text("PASSKEY_RP_ID") == nil, standardID(issuer: issuer) == nil {
            return nil
        }
        let id = id(&reader, issuer)
        let android = androidApps(&reader)
        let apple = reader.list("PASSKEY_APPLE_APPS").compactMap { text in
            let app = AppleApp(parsing: text)
            if app == nil {
                reader.refuse(
                    "PASSKEY_APPLE_APPS must be TEAMID.bundle.id, such as "
                        + "ABCDE12345.com.example.app, separated by commas")
            }
            return app
        }
        let providers = providers(&reader)
        let origins = origins(&reader, id, issuer, android)
        guard let id, let origins else { return nil }
        let relyingParty = RelyingParty(
            id: id, name: reader.text("APP_NAME") ?? id.text, origins: origins)
        return PasskeySettings(
            services: PasskeyServices(
                relyingParty, providers: providers,
                documents: WellKnownDocuments(
                    relyingParty: relyingParty, androidApps: android, appleApps: apple)))
    }

    private static func id(_ reader: inout SettingsReader, _ issuer: String) -> RelyingPartyID? {
        guard let text = reader.text("PASSKEY_RP_ID") else {
            let id = standardID(issuer: issuer)
            if id == nil {
                reader.refuse(
                    "PASSKEY_RP_ID is required, because the host of ISSUER is not a domain")
            }
            return id
        }
        let id = RelyingPartyID(parsing: text)
        if id == nil {
            reader.refuse(
                "PASSKEY_RP_ID must be a domain in lower case, such as example.com or localhost")
        }
        return id
    }

    /// The setting's origins, and the origins of the Android apps. Without the setting, these are
    /// `https://` with the RP ID, which apps on Apple's systems use, and the origin of the issuer
    /// if it belongs to the RP ID.
    private static func origins(
        _ reader: inout SettingsReader, _ id: RelyingPartyID?, _ issuer: String,
        _ android: [AndroidApp]
    ) -> OriginList? {
        do throws(OriginFailure) {
            var origins: [Origin]
            if let setting = reader.text("PASSKEY_ORIGINS") {
                origins = try OriginList(parsing: setting).origins
            } else {
                // The problem with the RP ID is reported already.
                guard let id else { return nil }
                origins = [try Origin(parsing: "https://\(id.text)")]
                if let own = try? Origin(parsing: local(issuer)), own != origins[0] {
                    origins.append(own)
                }
            }
            return try OriginList(origins + android.flatMap(\.origins))
        } catch {
            reader.refuse(
                "PASSKEY_ORIGINS must be origins such as https://example.com, http only for "
                    + "localhost, or android:apk-key-hash:…, separated by commas"
                    + SettingsReader.naming(
                        origin: reader.list("PASSKEY_ORIGINS").first {
                            (try? Origin(parsing: $0)) == nil
                        }))
            return nil
        }
    }

    /// The origin of the issuer, with `localhost` for an address of this machine.
    static func local(_ issuer: String) -> String {
        let origin = issuer.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
            .prefix(3).joined(separator: "/")
        for address in ["http://127.0.0.1", "http://[::1]"] where origin.hasPrefix(address) {
            return "http://localhost" + origin.dropFirst(address.count)
        }
        return origin
    }

    private static func host(_ issuer: String) -> Substring? {
        let parts = issuer.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 3 else { return nil }
        let authority = parts[2]
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            return authority[...end]
        }
        return authority.prefix { $0 != ":" }
    }

    /// Parses `package.name=AB:CD:…`. A package with several fingerprints has one entry for each.
    private static func androidApps(_ reader: inout SettingsReader) -> [AndroidApp] {
        reader.list("PASSKEY_ANDROID_APPS").compactMap { text in
            let parts = text.split(separator: "=", omittingEmptySubsequences: false)
            if parts.count == 2,
                let fingerprint = CertificateFingerprint(parsing: String(parts[1])),
                let app = AndroidApp(
                    packageName: String(parts[0]), fingerprints: [fingerprint])
            {
                return app
            }
            reader.refuse(
                "PASSKEY_ANDROID_APPS must be PACKAGE=SHA256, with the fingerprint of the signing "
                    + "certificate as keytool prints it, separated by commas")
            return nil
        }
    }

    private static func providers(_ reader: inout SettingsReader) -> ProviderNames {
        guard let bytes = reader.file("PASSKEY_PROVIDERS_FILE") else { return .builtIn }
        do {
            return try ProviderNames(parsing: bytes)
        } catch {
            reader.refuse(
                "PASSKEY_PROVIDERS_FILE must be a JSON object of AAGUIDs and names")
            return .builtIn
        }
    }
}
