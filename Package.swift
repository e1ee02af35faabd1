// swift-tools-version: 6.2
import PackageDescription

// Dependencies point one way: Functions → AuthComposition → operations, providers, stores →
// domain → bytes. A C library is a leaf, and exactly one module imports it.

/// A library of `Sources/`.
func library(_ name: String, _ uses: Target.Dependency...) -> Target {
    .target(name: name, dependencies: uses, path: "Sources/\(name)")
}

/// A module of the emulator: `Emulator/DynamoDB` is `EmulatorDynamoDB`.
func emulator(_ folder: String, _ uses: Target.Dependency...) -> Target {
    .target(name: "Emulator\(folder)", dependencies: uses, path: "Emulator/\(folder)")
}

/// One operation is one executable: `Functions/SignIn/main.swift` builds `signin`.
func function(_ product: String, _ folder: String) -> Target {
    .executableTarget(
        name: product, dependencies: ["AuthComposition", "Contracts"],
        path: "Functions/\(folder)")
}

/// The tests of one module, mirrored file by file.
func tests(_ name: String, _ uses: Target.Dependency..., exclude: [String] = []) -> Target {
    .testTarget(
        name: name, dependencies: uses + ["TestSupport"], path: "Tests/\(name)", exclude: exclude)
}

/// A C library from Debian's packages: a modulemap, a shim header, nothing else.
func systemLibrary(_ name: String, pkgConfig: String, apt: String) -> Target {
    .systemLibrary(
        name: name, path: "Sources/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

let functions: [(product: String, folder: String)] = [
    ("challenge", "Challenge"), ("signin", "SignIn"), ("refresh", "Refresh"),
    ("signout", "SignOut"), ("me", "Me"), ("sessions", "Sessions"),
    ("credentials", "Credentials"), ("keys", "Keys"), ("authorizer", "Authorizer"),
]

let package = Package(
    name: "latchkey",
    targets: [
        // Leaves.
        systemLibrary("COpenSSL", pkgConfig: "libcrypto", apt: "libssl-dev"),
        systemLibrary("CArgon2", pkgConfig: "libargon2", apt: "libargon2-dev"),
        systemLibrary("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
        systemLibrary("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
        systemLibrary("CHTTPServer", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev"),
        .target(
            name: "CPosix", path: "Sources/CPosix", cSettings: [.define("_GNU_SOURCE")]),
        library("Bytes"),
        library("Time"),
        library("JSON"),
        library("XML"),
        library("HTTP", "Bytes"),
        // Fences around C.
        library("Cryptography", "Bytes", "Time", "COpenSSL", "CArgon2"),
        library("HTTPClient", "HTTP", "CCurl"),
        library("SQLite", "CSQLite"),
        // Protocols and formats.
        library("JOSE", "Bytes", "Time", "JSON", "Cryptography"),
        library("AWSSignature", "Bytes", "Time", "HTTP", "Cryptography"),
        library(
            "AWSClients", "Bytes", "Time", "JSON", "XML", "HTTP", "Cryptography", "AWSSignature"),
        // State.
        library("KeyValueStore", "Time"),
        library("SQLiteStore", "KeyValueStore", "Time", "SQLite"),
        library(
            "DynamoDBStore", "KeyValueStore", "Time", "Bytes", "JSON", "HTTP", "Cryptography",
            "AWSClients"),
        // Sign-in itself.
        library("AuthDomain", "Bytes", "Time", "Cryptography"),
        library(
            "AuthStorage", "Bytes", "Time", "JSON", "Cryptography", "KeyValueStore", "AuthDomain"),
        library(
            "IdentityProviders", "Bytes", "Time", "JSON", "HTTP", "Cryptography", "JOSE",
            "KeyValueStore"),
        library(
            "AuthOperations", "Bytes", "Time", "JSON", "Cryptography", "JOSE", "KeyValueStore",
            "AuthDomain", "AuthStorage", "IdentityProviders", "AWSClients"),
        // The shell around it.
        library("FunctionRuntime", "Bytes", "Time", "JSON", "HTTP"),
        library(
            "Contracts", "Bytes", "Time", "JSON", "AuthDomain", "AuthOperations",
            "IdentityProviders", "FunctionRuntime"),
        library(
            "AuthComposition", "Bytes", "Time", "JSON", "HTTP", "HTTPClient", "Cryptography",
            "JOSE", "AWSClients", "AWSSignature", "KeyValueStore", "SQLiteStore",
            "DynamoDBStore", "AuthDomain", "AuthOperations", "IdentityProviders",
            "FunctionRuntime", "Contracts"),
        // The emulator: what the functions meet on a laptop.
        emulator("Server", "Bytes", "HTTP", "CHTTPServer", "CPosix"),
        emulator(
            "Certificates", "EmulatorFiles", "EmulatorServer", "Bytes", "Time", "Cryptography"),
        emulator("Processes", "CPosix"),
        emulator(
            "Functions", "EmulatorServer", "EmulatorProcesses", "HTTP", "Bytes", "JSON", "Time",
            "Cryptography"),
        emulator("Gateway", "Bytes", "Time", "JSON", "HTTP", "Cryptography", "JOSE"),
        emulator("IAM", "Bytes", "Time", "JSON", "HTTP", "Cryptography", "AWSSignature"),
        emulator(
            "STS", "Bytes", "Time", "JSON", "XML", "HTTP", "Cryptography", "JOSE", "AWSSignature",
            "EmulatorIAM"),
        emulator(
            "S3", "Bytes", "Time", "XML", "HTTP", "Cryptography", "AWSSignature", "SQLite",
            "EmulatorIAM", "CPosix"),
        emulator("DynamoDB", "Bytes", "Time", "JSON", "Cryptography", "SQLite"),
        emulator(
            "Events", "Bytes", "Time", "JSON", "HTTP", "Cryptography", "JOSE", "EmulatorFiles",
            "EmulatorServer", "EmulatorProcesses", "EmulatorGateway"),
        emulator("Files"),
        emulator("Secrets", "Bytes", "Time", "JSON", "HTTP", "Cryptography"),
        emulator(
            "App", "Bytes", "Time", "JSON", "HTTP", "HTTPClient", "Cryptography", "JOSE",
            "AWSSignature", "EmulatorFiles", "EmulatorServer", "EmulatorProcesses",
            "EmulatorFunctions", "EmulatorGateway", "EmulatorDynamoDB", "EmulatorIAM",
            "EmulatorSTS", "EmulatorS3", "EmulatorSecrets", "EmulatorIdentity", "EmulatorMail",
            "EmulatorSMTP", "EmulatorCertificates", "EmulatorEvents"),
        .executableTarget(
            name: "emulator", dependencies: ["EmulatorApp"], path: "Emulator/Main"),
        emulator(
            "Identity", "EmulatorServer", "HTTP", "Bytes", "Time", "JSON", "Cryptography", "JOSE",
            "SQLite"),
        emulator(
            "Mail", "Bytes", "Time", "JSON", "HTTP", "Cryptography", "AWSSignature", "SQLite",
            "EmulatorIAM", "EmulatorServer"),
        emulator("SMTP", "Bytes", "EmulatorMail"),
        // What fixtures of our own need besides the functions themselves.
        .executableTarget(
            name: "fixture-step",
            dependencies: [
                "AuthComposition", "AuthDomain", "AuthStorage", "Contracts", "Cryptography",
                "FunctionRuntime", "HTTPClient", "JSON", "KeyValueStore", "SQLiteStore", "Time",
            ], path: "Tools/Given"),
        // Tests.
        .target(
            name: "TestSupport",
            dependencies: ["HTTP"], path: "Tests/TestSupport"),
        .target(
            name: "AuthTestSupport",
            dependencies: [
                "AuthDomain", "AuthOperations", "IdentityProviders", "KeyValueStore", "JOSE",
                "Cryptography", "Bytes", "Time", "JSON",
            ], path: "Tests/AuthTestSupport"),
        tests("BytesTests", "Bytes"),
        tests("TimeTests", "Time"),
        tests("XMLTests", "XML"),
        tests("JSONTests", "JSON", exclude: ["Vectors"]),
        tests("CryptographyTests", "Cryptography", "Bytes", "Time", "JSON", exclude: ["Vectors"]),
        tests("JOSETests", "JOSE", "Cryptography", "Bytes", "Time", "JSON", exclude: ["Vectors"]),
        tests("HTTPClientTests", "HTTPClient", "HTTP", "Bytes"),
        tests(
            "AWSTests", "AWSSignature", "AWSClients", "HTTP", "Bytes", "Time", "JSON",
            "Cryptography", exclude: ["Vectors"]),
        tests(
            "StoreTests", "emulator", "KeyValueStore", "SQLiteStore", "DynamoDBStore", "AWSClients",
            "AWSSignature", "HTTP", "HTTPClient", "Time", "JSON", "Cryptography", "Bytes"),
        tests(
            "EmulatorDynamoDBTests", "EmulatorDynamoDB", "Bytes", "Time", "JSON", "Cryptography"),
        tests(
            "EmulatorGatewayTests", "EmulatorGateway", "FunctionRuntime", "Bytes", "Time", "JSON",
            "HTTP", "Cryptography", "JOSE"),
        tests(
            "IdentityProvidersTests", "IdentityProviders", "JOSE", "Cryptography", "HTTP",
            "KeyValueStore", "Bytes", "Time", "JSON"),
        tests(
            "FunctionRuntimeTests", "FunctionRuntime", "HTTPClient", "HTTP", "Bytes", "JSON", "Time"
        ),
        tests(
            "AuthTests", "AuthTestSupport", "AuthDomain", "AuthStorage", "AuthOperations",
            "IdentityProviders", "KeyValueStore", "SQLiteStore", "JOSE", "Cryptography", "Bytes",
            "Time", "JSON", "HTTP", "AWSClients"),
        tests(
            "ContractsTests", "AuthTestSupport", "Contracts", "AuthDomain", "AuthOperations",
            "AuthStorage", "IdentityProviders", "FunctionRuntime", "KeyValueStore", "JOSE",
            "Cryptography", "Bytes", "Time", "JSON", "HTTP"),
        tests(
            "CompositionTests", "AuthTestSupport", "AuthComposition", "AuthDomain",
            "AuthOperations", "Contracts", "FunctionRuntime", "KeyValueStore", "JOSE",
            "Cryptography", "HTTP", "HTTPClient", "Bytes", "Time", "JSON"),
        tests(
            "EmulatorIAMTests", "EmulatorIAM", "AWSSignature", "HTTP", "Bytes", "Time", "JSON",
            "Cryptography"),
        tests(
            "EmulatorSTSTests", "EmulatorSTS", "EmulatorIAM", "AWSSignature", "AWSClients", "JOSE",
            "HTTP", "Bytes", "Time", "JSON", "XML", "Cryptography"),
        tests(
            "EmulatorS3Tests", "EmulatorS3", "EmulatorIAM", "AWSSignature", "HTTP", "Bytes",
            "Time", "XML", "Cryptography"),
        tests(
            "EmulatorIdentityTests", "EmulatorIdentity", "EmulatorServer", "IdentityProviders",
            "KeyValueStore", "HTTP", "HTTPClient", "JOSE", "Cryptography", "Bytes", "Time", "JSON"),
        tests(
            "EmulatorMailTests", "EmulatorMail", "EmulatorSMTP", "EmulatorIAM", "EmulatorServer",
            "AWSSignature", "HTTP", "Bytes", "Time", "JSON", "Cryptography"),
        tests("EmulatorSMTPTests", "EmulatorSMTP", "EmulatorMail", "Cryptography", "Time"),
        tests("EmulatorServerTests", "EmulatorServer", "HTTP"),
        tests(
            "EmulatorCertificatesTests", "EmulatorCertificates", "EmulatorServer", "Cryptography",
            "HTTP", "Bytes", "Time"),
        tests("EmulatorProcessesTests", "EmulatorProcesses"),
        tests(
            "EmulatorFunctionsTests", "EmulatorFunctions", "EmulatorServer", "EmulatorProcesses",
            "HTTP", "Bytes", "JSON", "Time", "Cryptography", exclude: ["Programs"]),
        tests(
            "EmulatorEventsTests", "EmulatorEvents", "EmulatorGateway", "EmulatorServer", "HTTP",
            "Bytes", "JSON", "Time", "Cryptography", exclude: ["Programs"]),
        tests("TemplateTests", "Contracts", "JSON", exclude: ["sam-transform"]),
        // Whole processes: the executables are built beside the tests.
        .testTarget(
            name: "JudgeTests",
            dependencies: functions.map { .init(stringLiteral: $0.product) } + [
                "emulator", "TestSupport",
            ], path: "Tests/JudgeTests", exclude: ["Clients", "Templates"]),
        .testTarget(
            name: "ProcessTests",
            dependencies: functions.map { .init(stringLiteral: $0.product) } + [
                "emulator", "TestSupport", "AuthDomain", "AuthStorage", "KeyValueStore",
                "SQLiteStore",
                "DynamoDBStore", "AWSClients", "AWSSignature", "HTTP", "HTTPClient", "JOSE",
                "Cryptography", "Bytes", "Time", "JSON",
            ], path: "Tests/ProcessTests"),
        .testTarget(
            name: "FunctionTests",
            dependencies: functions.map { .init(stringLiteral: $0.product) } + [
                "fixture-step", "TestSupport", "EmulatorEvents", "Contracts", "AuthDomain",
                "Cryptography", "Time", "JSON",
            ], path: "Tests/FunctionTests"),
        .testTarget(
            name: "EmulatorAppTests",
            dependencies: functions.map { .init(stringLiteral: $0.product) } + [
                "emulator", "TestSupport", "AWSSignature", "HTTP", "HTTPClient", "JOSE",
                "Cryptography", "Bytes", "Time", "JSON",
            ], path: "Tests/EmulatorAppTests"),
    ],
    swiftLanguageModes: [.v6]
)

package.targets += functions.map { function($0.product, $0.folder) }

/// The modules in which a C call may stand.
let fences: Set = [
    "Cryptography", "HTTPClient", "SQLite", "SQLiteStore", "FunctionRuntime", "Time",
    "AuthComposition",
    "TestSupport", "AuthTestSupport",
    "EmulatorServer", "EmulatorProcesses", "EmulatorFiles", "EmulatorSMTP",
]

for target in package.targets where target.type != .system {
    target.swiftSettings =
        [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .treatAllWarnings(as: .error),
        ] + (fences.contains(target.name) || target.type == .test ? [] : [.strictMemorySafety()])
}
