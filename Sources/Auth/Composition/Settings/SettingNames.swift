internal import Bytes
internal import Contracts
internal import FunctionRuntime

/// The names of Latchkey's own settings. A variable that is nearly one of them is refused, because
/// a misspelt setting would otherwise be ignored silently.
package enum SettingNames {
    /// The list does not contain the names of platforms and other programs, such as `AWS_REGION`
    /// and `PORT`.
    package static let own: StaticString = """
        CONTRACT STORE STORE_PASSWORD STORE_CONNECTIONS ISSUER MASTER_KEY MASTER_KEY_PREVIOUS \
        KEY_ROTATION_DAYS AUDIT_KEY AUDIT_REFRESHES SIGNING_KEY JWT_SECRET TOKEN_AUDIENCE \
        REFRESH_GRACE_SECONDS RATE_LIMITS BREACHED_PASSWORDS_URL PASSWORD_HASHES_MAX TRUSTED_HOPS \
        ALLOWED_ORIGINS BASE_PATH DEBUG ACCESS_TOKEN_EXPIRE_MINUTES REFRESH_TOKEN_EXPIRE_DAYS DPOP \
        DPOP_AGE_SECONDS_MAX JWT_ALGORITHM GUESTS SECOND_FACTOR_REMOVAL_HOURS GUEST_DAYS HOOKS \
        HOOK_SECRET HOOK_MILLISECONDS_MAX LOG_LEVEL LOG_FORMAT TRACE_PROVIDERS PROCESS_HARDENING \
        PROCESS_MEMORY_MIB_MAX METRICS_NAMESPACE APPLE_CLIENT_IDS GOOGLE_CLIENT_IDS APPLE_ISSUER \
        GOOGLE_ISSUER APPLE_JWKS_FILE GOOGLE_JWKS_FILE APPLE_TEAM_ID APPLE_KEY_ID \
        APPLE_PRIVATE_KEY OIDC_PROVIDERS REQUIRE_NONCE ID_TOKEN_AGE_SECONDS_MAX PASSKEY_RP_ID \
        PASSKEY_ORIGINS PASSKEY_APPLE_APPS PASSKEY_ANDROID_APPS PASSKEY_PROVIDERS_FILE UI UI_LOGO \
        UI_COLOR APPLE_WEB_CLIENT_ID GOOGLE_WEB_CLIENT_ID GOOGLE_CLIENT_SECRET UI_RETURN \
        STORAGE_BUCKET STORAGE_ROLE_ARN STORAGE_REGION STORAGE_PREFIX STORAGE_CREDENTIALS \
        STORAGE_EXTERNAL_ID STORAGE_ENDPOINT ADMIN_PASSWORD_HASH ADMIN_PASSWORD MAIL_URL MAIL_FROM \
        MAIL_FROM_NAME MAIL_PASSWORD APP_NAME MAIL_TEMPLATES LINK_BASE MAIL_BUDGET WEBHOOKS \
        WEBHOOK_SECRET WEBHOOK_DELIVERY MAIL_DELIVERY AUTHORIZER_MODE AUTHORIZER_RESPONSE \
        AUTHORIZER_RESOURCE AUTHORIZER_SCOPES \
        SERVER_WORKERS SERVER_CONNECTIONS_MAX SERVER_IDLE_SECONDS SERVER_HEAD_SECONDS \
        SERVER_BODY_SECONDS SERVER_QUEUE_SECONDS SERVER_DRAIN_SECONDS SERVER_STOP_SECONDS \
        SERVER_HOUSEKEEPING_SECONDS METRICS_LISTEN OMITTED_FUNCTIONS OPENFAAS_REPLY USER_SEARCH \
        SIGN_UP OAUTH OAUTH_CLIENTS OAUTH_RESOURCES OAUTH_DEFAULT_RESOURCE \
        OAUTH_REGISTRATION OAUTH_REGISTRATION_TOKEN OAUTH_CLIENT_DOCUMENTS \
        OAUTH_CLIENT_DOCUMENT_HOSTS REVOCATIONS
        """

    /// Settings of one provider: `OIDC_<NAME>_ISSUER`.
    private static let ofProvider = [
        "_ISSUER", "_CLIENT_IDS", "_JWKS_FILE", "_WEB_CLIENT_ID", "_CLIENT_SECRET",
    ]
    /// Names that other programs read.
    private static let foreign = ["LOGLEVEL", "LOGFORMAT", "BASEPATH", "NDEBUG"]

    /// Variables of platforms that a file of settings may set, beside `AWS_…` and libcurl's
    /// `…_PROXY`.
    private static let others = [
        "MAIL", "PORT", "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "TZ",
    ]

    /// Beginnings of names that a file of settings may have too: variables of hook programs, libpq,
    /// glibc and OpenSSL.
    private static let otherPrefixes = [
        "AWS_", "HOOK_", "PG", "LC_", "MALLOC_", "GLIBC_", "LD_", "SSL", "OPENSSL_", "CURL_",
        "SQLITE_", "SWIFT_", "RES_", "SYSTEMD_", "LISTEN_", "_",
    ]
    private static let otherWords = """
        PATH HOME LANG LANGUAGE TMPDIR LOCALDOMAIN CREDENTIALS_DIRECTORY NOTIFY_SOCKET \
        WATCHDOG_USEC INVOCATION_ID
        """.split(separator: " ").map(String.init)

    private static let shownBytesMax = 48

    /// Those names in a file of settings that neither we nor a library or a platform reads. A long
    /// name, or one with other characters, may be a part of a key, so it is not shown.
    package static func unknown(among names: [String]) -> [String] {
        names.filter { name in
            name.utf8.count <= shownBytesMax
                && name.utf8.allSatisfy { $0.isLetterOrDigit || "_-.".utf8.contains($0) }
                && refusal(of: name.asciiUppercased) != nil
                && !otherWords.contains(where: name.isSame(as:))
                && !otherPrefixes.contains(where: name.hasPrefix)
        }
    }

    /// Why a name is not a setting; nil if it is one. The names of providers are chosen by the
    /// operator, so every name of the form `OIDC_<NAME>_…` is accepted.
    package static func refusal(of name: String) -> String? {
        let contracts = Contract.all.flatMap(\.settingNames.values)
        let known = own.description.split(separator: " ").map(String.init) + contracts + others
        let isPlatform = name.hasPrefix("AWS_") || name.hasSuffix("_PROXY")
        guard !isPlatform, !known.contains(where: name.isSame(as:)) else { return nil }
        let prefix = "OIDC_"
        let isOfProvider =
            name.hasPrefix(prefix)
            && ofProvider.contains { ending in
                name.hasSuffix(ending) && name.utf8.count > prefix.utf8.count + ending.utf8.count
            }
        return isOfProvider
            ? nil : "\(name) is not a setting\(NearestName.hint(name, among: known))"
    }

    /// Reports each variable that is nearly a setting, unless the setting itself is set too: then
    /// the variable probably belongs to another program.
    static func refuseMisspelt(_ reader: inout SettingsReader) {
        let providers = reader.list("OIDC_PROVIDERS").map(ProviderSettings.oidcPrefix)
        let names = NameIndex(
            own,
            and: Array(reader.names.values)
                + providers.flatMap { prefix in ofProvider.map { prefix + $0 } })
        for (name, value) in reader.environment.all where !name.utf8.starts(with: "AWS_".utf8) {
            guard let near = names.nearest(to: name) ?? near(nameInFile: name, names),
                !reader.environment.has(near),
                // Kubernetes and Docker describe other containers in such variables.
                !value.utf8.starts(with: "tcp://".utf8), !foreign.contains(where: name.isSame(as:))
            else { continue }
            reader.refuse(misspelt: name, near)
        }
    }

    /// The setting that a name with small letters in a file of settings is, or nearly is. Programs
    /// have such names for proxies.
    private static func near(nameInFile name: String, _ names: NameIndex) -> String? {
        guard name.utf8.contains(where: \.isLowercase), !name.hasSuffix("_proxy"),
            StartSettings.origin(of: name) == .file
        else { return nil }
        let capitals = name.asciiUppercased
        return refusal(of: capitals) == nil ? capitals : names.nearest(to: capitals)
    }
}

/// The names of settings, for finding the nearest one to another name. Each function compares all
/// its variables at its start. Few of them have about the same length and letters as a setting, and
/// the distance is computed only for those.
struct NameIndex {
    private struct Entry {
        let start: Int
        let end: Int
        /// The set of the name's bytes.
        let mask: UInt64
    }

    /// The names, separated by spaces.
    private let text: String
    private var entries: [Entry] = []

    /// In shorter names, a single change makes another word.
    private static let bytesMin = 5
    /// A name of this length may have two changes.
    private static let bytesMinOfTwoChanges = 10

    init(_ names: StaticString, and others: [String]) {
        text = others.reduce(names.description) { $0 + " " + $1 }
        entries.reserveCapacity(128 + others.count)
        let bytes = text.utf8.span
        var (start, mask) = (0, UInt64(0))
        for index in 0...bytes.count {
            if index == bytes.count || bytes[index] == UInt8(ascii: " ") {
                entries.append(Entry(start: start, end: index, mask: mask))
                (start, mask) = (index + 1, 0)
            } else {
                mask |= Self.bit(bytes[index])
            }
        }
    }

    /// nil for one of the names itself, or if none is near.
    func nearest(to name: String) -> String? {
        let (bytes, names) = (name.utf8.span, text.utf8.span)
        guard bytes.count >= Self.bytesMin - 1 else { return nil }
        var mask: UInt64 = 0
        for index in 0..<bytes.count { mask |= Self.bit(bytes[index]) }
        // Most variables of a deployment are settings, so exact matches are tried first.
        for entry in entries where entry.mask == mask && entry.end - entry.start == bytes.count {
            if (0..<bytes.count).allSatisfy({ bytes[$0] == names[entry.start + $0] }) {
                return nil
            }
        }
        var nearest: (name: String, changes: Int)?
        var longer: String?
        for entry in entries {
            let count = entry.end - entry.start
            if longer == nil, count > bytes.count, mask & ~entry.mask == 0 {
                let other = text.slice(entry.start..<entry.end)
                if Self.lacksWord(name, of: other) { longer = other }
            }
            let changesMax = Self.changesMax(count)
            // Each change adds or removes at most two letters of the set.
            guard abs(count - bytes.count) <= changesMax,
                (entry.mask ^ mask).nonzeroBitCount <= 2 * changesMax
            else { continue }
            let other = text.slice(entry.start..<entry.end)
            let changes = Self.changes(name, other)
            if changes <= changesMax, changes < nearest?.changes ?? .max {
                nearest = (other, changes)
            }
        }
        return nearest?.name ?? longer
    }

    /// Whether a name of two words or more lacks only the last word of the other, as `PASSKEY_RP`.
    /// One word may be another program's.
    private static func lacksWord(_ name: String, of other: String) -> Bool {
        let last = other.utf8.dropFirst(name.utf8.count)
        return name.utf8.contains(UInt8(ascii: "_")) && other.hasPrefix(name)
            && last.first == UInt8(ascii: "_") && !last.dropFirst().contains(UInt8(ascii: "_"))
    }

    /// Two letters in the wrong order are one change.
    private static func changes(_ name: String, _ other: String) -> Int {
        let distance = NearestName.distance(name, other)
        let isSwapped = distance == 2 && name.utf8.sorted() == other.utf8.sorted()
        return isSwapped ? 1 : distance
    }

    private static func changesMax(_ count: Int) -> Int {
        switch count {
        case ..<bytesMin: 0
        case ..<bytesMinOfTwoChanges: 1
        default: 2
        }
    }

    private static func bit(_ byte: UInt8) -> UInt64 { 1 << UInt64(byte & 0x3F) }
}

extension String {
    fileprivate func slice(_ range: Range<Int>) -> String {
        let start = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
        return String(Substring(utf8[start..<utf8.index(start, offsetBy: range.count)]))
    }
}
