// swift-tools-version: 6.2
import PackageDescription

// The folders show the layers, and dependencies point one way:
//   Functions → Auth/{Composition, Pages} → Auth/{Contracts, Operations, IdentityProviders,
//             Records, Domain} → Runtime, Stores, AWS → Base → C

/// Modules that nearly every test, tool and module of the emulator uses; `auth`: test of sign-in.
let base: [Target.Dependency] = ["Bytes", "Cryptography", "HTTP", "JSON", "Time"]
let auth: [Target.Dependency] = [
    "AuthDomain", "AuthOperations", "AuthRecords", "AuthTestSupport", "HTTPClient", "JOSE",
    "IdentityProviders", "KeyValueStore", "WebAuthn",
]

/// `Sources/<layer>/<name>`, or another folder.
func library(
    _ layer: String, _ name: String, _ uses: Target.Dependency..., folder: String? = nil,
    in root: String = "Sources", resources: [Resource] = []
) -> Target {
    .target(
        name: name, dependencies: uses + (["Tests", "Tools"].contains(root) ? base : []),
        path: "\(root)/\(layer)/\(folder ?? name)", resources: resources)
}

/// A module of the emulator: `Emulator/DynamoDB` is `EmulatorDynamoDB`.
func emulator(_ path: String, _ uses: Target.Dependency..., resources: [Resource] = []) -> Target {
    .target(
        name: "Emulator\(path)", dependencies: base + uses, path: "Emulator/\(path)",
        resources: resources)
}

/// The tests of one module: `Tests/<layer>/<name>`.
func tests(
    _ layer: String, _ name: String, _ uses: Target.Dependency..., exclude: [String] = []
) -> Target {
    let more = ["Auth", "System"].contains(layer) ? auth : []
    return .testTarget(
        name: name, dependencies: base + uses + more + ["BaseTestSupport", "TestSupport"],
        path: "Tests/\(layer)/\(name)", exclude: exclude)
}

/// The tests of a module of the emulator, `EmulatorIAMTests` for `EmulatorIAM`.
func emulatorTests(
    _ name: String, _ uses: Target.Dependency..., exclude: [String] = []
) -> Target {
    let target = tests("Emulator", "Emulator\(name)Tests", exclude: exclude)
    target.dependencies += uses + [.byName(name: "Emulator\(name)")]
    return target
}

/// Static in release builds, except with Foundation. One linker map says what is in all of them.
func program(
    _ name: String, _ path: String, _ uses: Target.Dependency..., exclude: [String] = [],
    isStatic: Bool = true
) -> Target {
    let map = name == "refresh" ? ["-Xlinker", "--Map=.build/release.map"] : []
    let flags = isStatic ? ["-static-executable"] + map : []
    return .executableTarget(
        name: name, dependencies: uses + (path.hasPrefix("Tools") ? base : []), path: path,
        exclude: exclude, linkerSettings: [.unsafeFlags(flags, .when(configuration: .release))])
}

/// C libraries from Debian's packages: a modulemap, a shim header, nothing else.
let systemLibraries = [
    ("COpenSSL", "libcrypto", "libssl-dev"), ("CArgon2", "libargon2", "libargon2-dev"),
    ("CCrypt", "libcrypt", "libcrypt-dev"), ("CCurl", "libcurl", "libcurl4-openssl-dev"),
    ("CSQLite", "sqlite3", "libsqlite3-dev"), ("CPostgreSQL", "libpq", "libpq-dev"),
    ("CZlib", "zlib", "zlib1g-dev"), ("CYAML", "yaml-0.1", "libyaml-dev"),
    ("CHTTPServer", "libmicrohttpd", "libmicrohttpd-dev"),
]
/// `Functions/AddPassword/main.swift` builds `add-password`. The last has every endpoint of a
/// contract, for a plain server.
let functions = """
    challenge signin refresh merge signout me sessions register verify-email resend-verification
    login forgot-password reset-password change-password passkey-options passkey-signup
    passkey-signin passkeys passkey-documents totp second-factor step-up devices magic-link
    redeem-magic-link link methods add-password confirm-email credentials keys authorizer export
    delete-account change-email apple-notifications housekeeping import-users admin-login
    admin-logout users audit guest webhooks token par userinfo revoke introspect register-client
    revocations device ui admin latchkey
    """.split { $0.isWhitespace }.map(String.init)
let folders = [
    "login": "LogIn", "passkey-signin": "PasskeySignIn", "passkey-signup": "PasskeySignUp",
    "signin": "SignIn", "signout": "SignOut", "totp": "TOTP", "ui": "UI",
]
/// The others are 0.4 MB smaller.
let more: [String: [Target.Dependency]] = [
    "admin": ["AuthPages"], "latchkey": ["AuthPages", "OperatorCommands"], "ui": ["AuthPages"],
]
/// Routes beside a contract (`Examples/shell`), and apps (`Examples/Apps/shell`).
let examples = ["latchkey", "livlogios", "news_app", "shell", "whateat"]
let apps = ["app-livlogios", "app-news_app", "app-photolala", "app-shell", "app-whateat"]
let clients = ["LatchkeyClient", "LatchkeyCurl", "LatchkeyUploads", "LatchkeyVerifier"]
let package = Package(
    name: "latchkey", platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9)],
    products: clients.map { .library(name: $0, targets: [$0]) },
    targets: [
        library(".", "LatchkeyClient", in: "Client"),
        library(".", "LatchkeyUploads", "LatchkeyClient", in: "Client"),
        library(".", "LatchkeyCurl", "LatchkeyClient", "HTTP", "HTTPClient", in: "Client"),
        library(".", "LatchkeyVerifier", "LatchkeyClient", "JOSE", "JSON", "Time", in: "Client"),
        program("content-server", "Examples/Server", "LatchkeyVerifier", isStatic: false),
        program("client-program", "Tests/Client/ClientProgram", "LatchkeyClient", isStatic: false),
        tests(
            "Client", "LatchkeyClientTests", "JOSE", "LatchkeyClient", "LatchkeyCurl",
            "LatchkeyUploads", "LatchkeyVerifier"),
        library("C", "CContracts"), library("C", "CStubs"),
        .target(name: "CPosix", path: "Sources/C/CPosix", cSettings: [.define("_GNU_SOURCE")]),
        .target(
            name: "CCommonPasswords", path: "Sources/C/CCommonPasswords",
            exclude: ["common-passwords.txt"]),
        library("Base", "Bytes"), library("Base", "Time"), library("Base", "HTML"),
        library("Base", "JSON"), library("Base", "XML", "Bytes"), library("Base", "CBOR", "Bytes"),
        library("Base", "HTTP", "Bytes"), library("Base", "QRCode"), library("Base", "Threads"),
        library("Base", "Cryptography", "Bytes", "Time", "COpenSSL", "CArgon2", "CCrypt"),
        library("Base", "HTTPClient", "HTTP", "Bytes", "Threads", "CCurl"),
        library("Base", "HTTPServer", "HTTP", "Bytes", "Time", "Threads", "CPosix"),
        library("Base", "SQLite", "Threads", "CSQLite", "CStubs"),
        library("Base", "PostgreSQL", "Bytes", "Threads", "CPostgreSQL"),
        library("Base", "JOSE", "Bytes", "Time", "JSON", "Cryptography"),
        library("AWS", "AWSSignature", "Bytes", "Time", "HTTP", "Cryptography"),
        library(
            "AWS", "AWSClients", "Bytes", "Time", "JSON", "XML", "HTTP", "Cryptography",
            "AWSSignature"),
        library("Stores", "KeyValueStore", "Bytes", "Time"),
        library("Stores", "SQLiteStore", "KeyValueStore", "Bytes", "Time", "Threads", "SQLite"),
        library(
            "Stores", "PostgreSQLStore", "KeyValueStore", "Bytes", "Time", "Cryptography",
            "PostgreSQL"),
        library(
            "Stores", "DynamoDBStore", "KeyValueStore", "Time", "Bytes", "JSON", "HTTP",
            "Cryptography", "AWSClients"),
        library(
            "Stores", "StoreTransfer", "KeyValueStore", "Bytes", "Time", "JSON", "Cryptography"),
        library("Auth", "AuthDomain", "Bytes", "Time", "Cryptography", folder: "Domain"),
        library(
            "Auth", "AuthRecords", "Bytes", "Time", "JSON", "Cryptography", "KeyValueStore",
            "AuthDomain", "WebAuthn", folder: "Records"),
        library(
            "Auth", "IdentityProviders", "Bytes", "Time", "JSON", "HTTP", "Cryptography", "JOSE",
            "KeyValueStore"),
        library("Auth", "WebAuthn", "Bytes", "JSON", "CBOR", "Cryptography"),
        .target(
            name: "AuthMail", dependencies: ["AuthDomain", "Bytes", "HTTP", "Time"],
            path: "Sources/Auth/Mail", resources: [.embedInCode("Templates")]),
        library("Auth", "CommonPasswords", "CCommonPasswords"),
        library(
            "Auth", "AuthOperations", "Bytes", "Time", "JSON", "Cryptography", "JOSE",
            "KeyValueStore", "CommonPasswords", "AuthDomain", "AuthRecords", "IdentityProviders",
            "WebAuthn", folder: "Operations"),
        library(
            ".", "FunctionRuntime", "Bytes", "Time", "JSON", "HTTP", "HTTPServer", "Threads",
            "CPosix", folder: "Runtime"),
        library(
            "Auth", "Contracts", "Bytes", "Time", "JSON", "HTML", "HTTP", "QRCode", "CContracts",
            "Cryptography", "AuthDomain", "AuthOperations", "AuthRecords", "IdentityProviders",
            "FunctionRuntime", "WebAuthn", resources: [.embedInCode("Files")]),
        library(
            "Auth", "AuthPages", "Bytes", "Time", "JSON", "HTML", "HTTP", "QRCode", "Cryptography",
            "AuthDomain", "AuthOperations", "AuthRecords", "Contracts", "IdentityProviders",
            "FunctionRuntime", "WebAuthn", folder: "Pages", resources: [.embedInCode("Files")]),
        library(
            "Auth", "AuthComposition", "Bytes", "Time", "JSON", "HTTP", "HTTPClient",
            "Cryptography", "JOSE", "AWSClients", "AWSSignature", "KeyValueStore", "SQLiteStore",
            "DynamoDBStore", "PostgreSQL", "PostgreSQLStore", "AuthDomain", "AuthMail",
            "AuthOperations", "AuthRecords", "IdentityProviders", "FunctionRuntime",
            "Contracts", "Threads", "WebAuthn", folder: "Composition"),
        library(
            "Auth", "OperatorCommands", "AuthComposition", "AuthDomain", "AuthOperations", "Bytes",
            "Contracts", "DynamoDBStore", "FunctionRuntime", "HTTP", "HTTPClient", "JSON",
            "KeyValueStore", "PostgreSQLStore", "SQLite", "SQLiteStore", "StoreTransfer", "Threads",
            "Time"),
        library(
            "Shared", "ExampleRows", "AuthDomain", "AuthOperations", "Bytes", "Cryptography",
            "JSON", "KeyValueStore", in: "Examples"),
        library("Apps", "AppSupport", "LatchkeyClient", folder: "Support", in: "Examples"),
        // The emulator: what the functions meet on a laptop.
        library("Dashboard", "CDashboard", in: "Emulator"),
        emulator("Base", "CDashboard", "CHTTPServer", "CPosix", "CYAML", "CZlib", "Threads"),
        emulator("Debugging", "EmulatorBase", "XML"),
        emulator("DynamoDB", "EmulatorBase", "SQLite"),
        emulator("AWS", "AWSSignature", "CPosix", "JOSE", "SQLite", "XML"),
        emulator(
            "Lambda", "CPosix", "EmulatorBase", "Threads",
            resources: [.embedInCode("Functions/Runtimes")]),
        emulator("Gateway", "EmulatorBase", "JOSE"),
        emulator(
            "ThirdParties", "AWSSignature", "EmulatorAWS", "EmulatorBase", "EmulatorDebugging",
            "HTML", "JOSE", "SQLite", "Threads", "XML"),
        emulator(
            "Replay", "AWSSignature", "EmulatorAWS", "EmulatorBase", "EmulatorDebugging",
            "EmulatorDynamoDB", "EmulatorGateway", "EmulatorLambda", "EmulatorThirdParties",
            "JOSE", "KeyValueStore", "PostgreSQL", "PostgreSQLStore", "XML"),
        emulator(
            "App", "AWSSignature", "EmulatorAWS", "EmulatorBase", "EmulatorDebugging",
            "EmulatorDynamoDB", "EmulatorGateway", "EmulatorLambda", "EmulatorReplay",
            "EmulatorThirdParties", "HTTPClient", "JOSE", "XML"),
        .executableTarget(
            name: "emulator",
            dependencies: base + ["EmulatorApp", "EmulatorBase", "EmulatorDebugging"]
                + ["EmulatorGateway", "EmulatorLambda", "EmulatorReplay", "HTTPClient"],
            path: "Emulator/CLI",
            linkerSettings: [.unsafeFlags(["-static-stdlib"], .when(configuration: .release))]),
        program(
            "fixture-step", "Tools/FixtureStep", "AuthComposition", "AuthDomain", "AuthPages",
            "AuthRecords", "Contracts", "FunctionRuntime", "HTTPClient", "KeyValueStore"),
        program(
            "all-functions", "Tools/AllFunctions", "AuthComposition", "AuthPages",
            "OperatorCommands"),
        program(
            "simulate-day", "Tools/DaySimulation", "AuthTestSupport", "AuthDomain",
            "AuthOperations", "AuthPages", "AuthRecords", "Contracts", "JOSE", "KeyValueStore"),
        library(
            "Simulation", "Simulations", "AWSClients", "AWSSignature", "AuthDomain",
            "AuthOperations", "AuthPages", "AuthRecords", "AuthTestSupport", "Contracts", "JOSE",
            "DynamoDBStore", "EmulatorDynamoDB", "FunctionRuntime", "KeyValueStore", "WebAuthn",
            "LatchkeyClient", "LatchkeyVerifier", "WebAuthnTestSupport", in: "Tools"),
        .executableTarget(name: "simulate", dependencies: ["Simulations"], path: "Tools/Simulate"),
        program(
            "generate-templates", "Tools/TemplateGenerator", "AuthDomain", "AuthOperations",
            "AuthPages", "Contracts", isStatic: false),
        program("primitives", "Tools/Primitives", "AWSSignature", "FunctionRuntime"),
        library("Support", "TestSupport", "Threads", in: "Tests"),
        library("Support", "BaseTestSupport", "TestSupport", in: "Tests"),
        library("Support", "CBORTestSupport", "CBOR", in: "Tests"),
        library(
            "Support", "WebAuthnTestSupport", "CBORTestSupport", "WebAuthn", "CBOR", in: "Tests"),
        library(
            "Support", "ProviderTestSupport", "TestSupport", "EmulatorBase", "JOSE",
            in: "Tests"),
        library(
            "Support", "AuthTestSupport", "AuthDomain", "AuthRecords", "AuthOperations",
            "IdentityProviders", "KeyValueStore", "JOSE", "WebAuthn", in: "Tests"),
        tests("Base", "BytesTests"), tests("Base", "HTTPServerTests", "HTTPServer", "Threads"),
        tests("Base", "TimeTests"), tests("Base", "CBORTests", "CBORTestSupport", "CBOR"),
        tests("Base", "XMLTests", "XML"), tests("Base", "CryptographyTests", exclude: ["Vectors"]),
        tests("Base", "HTTPClientTests", "HTTPClient"),
        tests("System", "SimulationTests", "Simulations"),
        tests("Base", "QRCodeTests", "QRCode", exclude: ["read-codes.py"]),
        emulatorTests("Debugging"),
        tests("Base", "JOSETests", "JOSE", exclude: ["Vectors"]),
        tests("Base", "JSONTests", exclude: ["Vectors"]),
        tests("AWS", "AWSTests", "AWSSignature", "AWSClients", "HTTPClient", exclude: ["Vectors"]),
        tests(
            "Stores", "StoreTests", "AuthTestSupport", "KeyValueStore", "SQLite", "SQLiteStore",
            "DynamoDBStore", "PostgreSQL", "PostgreSQLStore", "StoreTransfer", "AWSClients",
            "AWSSignature", "HTTPClient", "Threads"),
        emulatorTests("DynamoDB", "EmulatorBase"),
        emulatorTests("Gateway", "EmulatorBase", "JOSE", "FunctionRuntime"),
        tests("Auth", "IdentityProvidersTests"), tests("Auth", "AuthMailTests", "AuthMail"),
        tests("Runtime", "FunctionRuntimeTests", "FunctionRuntime", "CPosix", "HTTPClient"),
        tests("Auth", "AuthTests", "SQLiteStore", "WebAuthnTestSupport"),
        tests("Auth", "WebAuthnTests", "WebAuthnTestSupport", exclude: ["Vectors"]),
        // As in Contracts, where it is to be copied.
        .testTarget(
            name: "ContractExample", dependencies: base + auth + ["Contracts", "FunctionRuntime"],
            path: "docs/contract-example/Journal",
            swiftSettings: [
                .unsafeFlags(["-Xfrontend", "-import-module", "-Xfrontend", "Contracts"])
            ]),
        tests(
            "Auth", "ContractsTests", "ContractExample", "Contracts", "AuthPages",
            "FunctionRuntime", "WebAuthnTestSupport", exclude: ["Golden"]),
        tests(
            "Auth", "CompositionTests", "AuthComposition", "AuthPages", "Contracts",
            "FunctionRuntime"),
        emulatorTests("AWS", "AWSClients", "AWSSignature", "JOSE", "XML"),
        emulatorTests("Base", "Threads"),
        emulatorTests("Lambda", "EmulatorBase", exclude: ["Functions/Programs"]),
        emulatorTests(
            "ThirdParties", "AWSSignature", "AuthComposition", "AuthDomain", "AuthOperations",
            "AuthTestSupport", "EmulatorAWS", "EmulatorBase", "FunctionRuntime", "HTTPClient",
            "IdentityProviders", "JOSE", "KeyValueStore", "SQLiteStore"),
        tests("Emulator", "EmulatorSMTPTests", "EmulatorThirdParties"),
        emulatorTests("Replay", "EmulatorBase", "EmulatorGateway", exclude: ["Programs"]),
        // Properties that hold for any input: a fixed run in the tests, a long one in `make fuzz`.
        library(
            "Fuzz", "FuzzTargets", "CBOR", "CBORTestSupport", "EmulatorDynamoDB", "EmulatorGateway",
            "EmulatorAWS", "EmulatorBase", "EmulatorThirdParties", "HTTPServer", "JOSE",
            "FunctionRuntime", "WebAuthn", "WebAuthnTestSupport", folder: "Targets", in: "Tests"),
        tests("Fuzz", "FuzzTests", "FuzzTargets", "AuthTestSupport"),
        tests(
            "System", "TemplateTests", "AuthComposition", "generate-templates", "AWSSignature",
            "AWSClients", "ContractExample", "Contracts", "DynamoDBStore",
            exclude: ["deployments", "sam-transform"]),
        tests(
            "System", "ClientTests", "Contracts", "LatchkeyClient", "LatchkeyCurl",
            "LatchkeyUploads", "WebAuthnTestSupport",
            exclude: ["Clients", "Templates", "Transcripts"]),
        tests(
            "System", "ProcessTests", "ProviderTestSupport", "EmulatorBase",
            "EmulatorThirdParties", "SQLiteStore", "DynamoDBStore",
            "PostgreSQL", "PostgreSQLStore", "AWSClients", "AWSSignature",
            exclude: ["check-metrics.py", "Release-0.1.0"]),
        tests(
            "System", "FunctionTests", "AuthPages", "ProviderTestSupport", "EmulatorReplay",
            "Contracts", exclude: ["http-bridge.py", "rie-bridge.py", "emulator-bridge.py"]),
        tests("Emulator", "EmulatorCLITests", "AWSSignature", "HTTPClient", "JOSE"),
    ], swiftLanguageModes: [.v6])

package.targets += systemLibraries.map { name, flags, apt in
    .systemLibrary(
        name: name, path: "Sources/C/\(name)", pkgConfig: flags, providers: [.apt([apt])])
}
package.targets += apps.map {
    .executableTarget(
        name: $0, dependencies: base + ["AppSupport", "LatchkeyClient", "LatchkeyUploads"],
        path: "Examples/Apps/\($0.dropFirst(4))")
}
package.targets += functions.map { name in
    let words = name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }
    let function = program(name, "Functions/\(folders[name] ?? words.joined())", "AuthComposition")
    function.dependencies += more[name] ?? []
    return function
}
package.targets += examples.map {
    program(
        "example-\($0)", "Examples/\($0)", "AuthComposition", "AuthDomain", "AuthOperations",
        "Bytes", "Contracts", "ExampleRows", "JSON", "KeyValueStore", exclude: ["template.json"])
}
// A build of some folders, whole: see scripts/build and scripts/sanitize.
if let folders = Context.environment["LATCHKEY_FOLDERS"]?.split(separator: " ") {
    package.targets.removeAll { target in !folders.contains { target.path?.hasPrefix($0) == true } }
    package.products = []
}
// Some test targets, and what they need: see scripts/test.
if let names = Context.environment["LATCHKEY_TESTS"]?.split(separator: " ").map(String.init) {
    var (needed, found) = (Set(names), 0)
    while found < needed.count {
        found = needed.count
        for target in package.targets where needed.contains(target.name) {
            for case .byNameItem(let name, _) in target.dependencies { needed.insert(name) }
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
}
// libFuzzer is linked by `scripts/fuzz` only.
if Context.environment["LATCHKEY_FUZZ"] != nil {
    package.targets.append(.systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"))
    package.targets.append(
        program("fuzz", "Tests/Fuzz/Main", "FuzzTargets", "CFuzzer", isStatic: false))
}

/// The modules in which a C call may stand.
let fences: Set = [
    "CommonPasswords", "Cryptography", "HTTPClient", "HTTPServer", "SQLite", "SQLiteStore",
    "PostgreSQL", "FunctionRuntime", "Threads", "Time", "AuthComposition", "OperatorCommands",
    "TestSupport", "ProviderTestSupport", "AuthTestSupport", "EmulatorBase", "EmulatorLambda",
    "Simulations", "fuzz", "primitives",
]

/// Large modules that run little in a request: the kernel maps less of a small executable.
let compact: Set = [
    "AWSClients", "AuthComposition", "AuthDomain", "AuthMail", "AuthOperations", "AuthPages",
    "AuthRecords", "CBOR", "Contracts", "DynamoDBStore", "FunctionRuntime",
    "IdentityProviders", "OperatorCommands", "PostgreSQL", "PostgreSQLStore", "QRCode",
    "StoreTransfer", "WebAuthn", "XML",
]

/// The modules that work in a command or for a person, and would take long to optimise.
let unhurried: Set = [
    "EmulatorReplay", "EmulatorThirdParties", "emulator", "generate-templates",
    "simulate",
]
for target in package.targets where target.type != .system {
    // A release build has the tests too. No module waits for their interface.
    let flags =
        target.path?.hasPrefix("Tests/") == true
        ? ["-Onone", "-no-emit-module-separately-wmo"]
        : unhurried.union(apps).contains(target.name)
            ? ["-Onone"] : compact.contains(target.name) ? ["-Osize"] : []
    target.swiftSettings =
        (target.swiftSettings ?? [])
        + ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"].map {
            .enableUpcomingFeature($0)
        } + [.treatAllWarnings(as: .error)]
        + (fences.contains(target.name) || target.type == .test ? [] : [.strictMemorySafety()])
        + (flags.isEmpty ? [] : [.unsafeFlags(flags, .when(configuration: .release))])
}
