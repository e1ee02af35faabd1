// swift-tools-version: 6.2
import PackageDescription

// The folders show the layers, and dependencies point one way:
//   Functions → Auth/{Composition, Pages} → Auth/{Contracts, Operations, IdentityProviders,
//             Records, Domain} → Runtime, Stores, AWS → Base → C

/// A row has a folder, `as` and the module's name if it is another one (`*`: the folder's), marks,
/// and after a colon the modules of rows above that it depends on. Folders with commas share the
/// rest. A line `FOLDER/: NAMES` begins the rows of a folder, which all depend on the names too.
/// Outside Sources and Client a module may also import what its dependencies depend on, and the
/// tests of a module depend on it.
///
/// `calls-C`: a C call may stand here; the others are strictly memory-safe. `-Osize`: large, and
/// runs little in a request (the kernel maps less of a small executable). `-Onone`: works in a
/// command or for a person. `whole`: answers each call, and is optimised whole although it is of
/// the emulator. `-dynamic`, `-static-stdlib`: not linked statically in a release.
let modules = """
    Sources/C/
      CContracts, CPosix, CStubs
      CCommonPasswords exclude=common-passwords.txt
    Sources/Base/
      Bytes, HTML, JSON
      Time, Threads calls-C
      QRCode -Osize
      XML, CBOR -Osize: Bytes
      HTTP: Bytes
      Cryptography calls-C: Bytes CArgon2 CCrypt COpenSSL Time
      HTTPClient calls-C: Bytes CCurl HTTP Threads
      HTTPServer calls-C: Bytes CPosix HTTP Threads Time
      SQLite calls-C: CSQLite CStubs Threads
      PostgreSQL calls-C -Osize: Bytes CPostgreSQL Threads
      JOSE: values
    Sources/AWS/
      AWSSignature: Bytes Cryptography HTTP Time
      AWSClients -Osize: base AWSSignature XML
    Sources/Stores/
      KeyValueStore: Bytes Time
      SQLiteStore calls-C: Bytes KeyValueStore SQLite Threads Time
      PostgreSQLStore -Osize: Bytes Cryptography KeyValueStore PostgreSQL Time
      DynamoDBStore -Osize: base AWSClients KeyValueStore
      StoreTransfer -Osize: values KeyValueStore
    Sources/Runtime as FunctionRuntime calls-C -Osize: Bytes CPosix HTTP HTTPServer JSON Threads \
        Time
    Sources/Auth/
      Domain as AuthDomain -Osize: Bytes Cryptography Time
      WebAuthn -Osize: Bytes CBOR Cryptography JSON
      Records as AuthRecords -Osize: values AuthDomain KeyValueStore WebAuthn
      IdentityProviders -Osize: base JOSE KeyValueStore
      Mail as AuthMail -Osize embed=Templates: AuthDomain Bytes HTTP Time
      CommonPasswords calls-C: CCommonPasswords
      Operations as AuthOperations -Osize: values accounts CommonPasswords JOSE KeyValueStore
      Contracts -Osize embed=Files: base operations CContracts FunctionRuntime HTML QRCode
      Pages as AuthPages -Osize embed=Files: base operations Contracts FunctionRuntime HTML QRCode
      Composition as AuthComposition calls-C -Osize: base operations stores AWSClients \
        AWSSignature AuthMail Contracts FunctionRuntime HTTPClient JOSE PostgreSQL Threads
      OperatorCommands calls-C -Osize: stores AuthComposition AuthDomain AuthOperations Bytes \
        Contracts FunctionRuntime HTTP HTTPClient JSON SQLite StoreTransfer Threads Time
    Client/
      LatchkeyClient
      LatchkeyUploads: LatchkeyClient
      LatchkeyCurl: HTTP HTTPClient LatchkeyClient
      LatchkeyVerifier: JOSE JSON LatchkeyClient Time
    Emulator/Dashboard/CDashboard
    Emulator/: base
      Base as EmulatorBase calls-C whole: CDashboard CHTTPServer CPosix CYAML CZlib Threads
      Debugging as EmulatorDebugging: EmulatorBase XML
      DynamoDB as EmulatorDynamoDB whole: EmulatorBase SQLite
      AWS as EmulatorAWS: AWSSignature CPosix JOSE SQLite XML
      Lambda as EmulatorLambda calls-C whole embed=Functions/Runtimes: EmulatorBase
      Gateway as EmulatorGateway: EmulatorBase JOSE
      ThirdParties as EmulatorThirdParties -Onone: EmulatorAWS EmulatorDebugging HTML
      Replay as EmulatorReplay -Onone: EmulatorDynamoDB EmulatorGateway EmulatorLambda \
        EmulatorThirdParties PostgreSQLStore
      App as EmulatorApp: EmulatorReplay HTTPClient
      CLI as emulator -Onone -static-stdlib: EmulatorApp
    Examples/
      Server as content-server -dynamic: LatchkeyVerifier
      Shared/ExampleRows: AuthOperations
      latchkey, livlogios, news_app, shell, whateat as example-* exclude=template.json: \
        AuthComposition ExampleRows
    Examples/Apps/
      Support as AppSupport: LatchkeyClient
      livlogios, news_app, photolala, shell, whateat as app-* -Onone -dynamic: base AppSupport \
        LatchkeyUploads
    Tests/Support/: base
      TestSupport calls-C: Threads
      BaseTestSupport: TestSupport
      CBORTestSupport: CBOR
      WebAuthnTestSupport: CBORTestSupport WebAuthn
      ProviderTestSupport calls-C: EmulatorBase JOSE TestSupport
      AuthTestSupport calls-C: AuthOperations
    docs/contract-example/Journal as ContractExample: AuthTestSupport Contracts HTTPClient
    Tools/: base
      FixtureStep as fixture-step: AuthComposition AuthPages
      AllFunctions as all-functions: AuthComposition AuthPages OperatorCommands
      DaySimulation as simulate-day: AuthPages AuthTestSupport
      Simulation/Simulations calls-C: AuthPages AuthTestSupport DynamoDBStore EmulatorDynamoDB \
        LatchkeyVerifier WebAuthnTestSupport
      Simulate as simulate -Onone -dynamic: Simulations
      TemplateGenerator as generate-templates -Onone -dynamic: AuthPages
      Primitives as primitives calls-C: AWSSignature FunctionRuntime
    Tests/Client/ClientProgram as client-program -dynamic: LatchkeyClient
    Tests/Fuzz/Targets as FuzzTargets: EmulatorDynamoDB EmulatorGateway EmulatorThirdParties \
        FunctionRuntime WebAuthnTestSupport
    Tests/: BaseTestSupport
      Base/BytesTests, Base/HTTPClientTests, Base/HTTPServerTests, Base/TimeTests, Base/XMLTests
      Base/CryptographyTests, Base/JOSETests, Base/JSONTests exclude=Vectors
      Base/CBORTests: CBORTestSupport
      Base/QRCodeTests exclude=read-codes.py
      AWS/AWSTests exclude=Vectors: AWSClients HTTPClient
      Stores/StoreTests: stores AuthTestSupport HTTPClient StoreTransfer
      Runtime/FunctionRuntimeTests: HTTPClient
      Fuzz/FuzzTests: AuthTestSupport FuzzTargets
      Emulator/EmulatorBaseTests, Emulator/EmulatorDebuggingTests, Emulator/EmulatorDynamoDBTests
      Emulator/EmulatorAWSTests: AWSClients
      Emulator/EmulatorCLITests: AWSSignature HTTPClient JOSE
      Emulator/EmulatorGatewayTests: FunctionRuntime
      Emulator/EmulatorLambdaTests exclude=Functions/Programs
      Emulator/EmulatorReplayTests exclude=Programs
      Emulator/EmulatorSMTPTests: EmulatorThirdParties
      Emulator/EmulatorThirdPartiesTests: AuthComposition AuthTestSupport
      Client/LatchkeyClientTests: LatchkeyCurl LatchkeyUploads LatchkeyVerifier
    Tests/: AuthTestSupport BaseTestSupport HTTPClient
      Auth/AuthTests: SQLiteStore WebAuthnTestSupport
      Auth/CompositionTests: AuthComposition AuthPages
      Auth/ContractsTests exclude=Golden: AuthPages ContractExample WebAuthnTestSupport
      Auth/AuthMailTests, Auth/IdentityProvidersTests
      Auth/WebAuthnTests exclude=Vectors: WebAuthnTestSupport
      System/ClientTests exclude=Clients+Templates+Transcripts: Contracts LatchkeyCurl \
        LatchkeyUploads WebAuthnTestSupport
      System/FunctionTests exclude=http-bridge.py+rie-bridge.py+emulator-bridge.py: AuthPages \
        EmulatorReplay ProviderTestSupport
      System/ProcessTests exclude=check-metrics.py+Release-0.1.0: stores EmulatorThirdParties \
        ProviderTestSupport
      System/SimulationTests: Simulations
      System/TemplateTests exclude=deployments+sam-transform: AuthComposition ContractExample \
        generate-templates
    """
/// Names for several modules.
let groups = [
    "values": "Bytes Cryptography JSON Time", "base": "Bytes Cryptography HTTP JSON Time",
    "stores": "DynamoDBStore KeyValueStore PostgreSQLStore SQLiteStore",
    "accounts": "AuthDomain AuthRecords IdentityProviders WebAuthn",
    "operations": "AuthDomain AuthOperations AuthRecords IdentityProviders WebAuthn",
].mapValues(words)
/// C libraries from Debian's packages: a modulemap, a shim header, nothing else.
let systemLibraries = """
    COpenSSL libcrypto libssl-dev, CArgon2 libargon2 libargon2-dev, CCrypt libcrypt libcrypt-dev, \
    CCurl libcurl libcurl4-openssl-dev, CSQLite sqlite3 libsqlite3-dev, CPostgreSQL libpq \
    libpq-dev, CZlib zlib zlib1g-dev, CYAML yaml-0.1 libyaml-dev, CHTTPServer libmicrohttpd \
    libmicrohttpd-dev
    """.split(separator: ",").map { words(String($0)) }
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
let more = ["admin": "AuthPages", "latchkey": "AuthPages OperatorCommands", "ui": "AuthPages"]
/// After an edit of the emulator only the file is compiled again: 3 seconds instead of up to 35.
let perFile = words("-no-whole-module-optimization -incremental -enable-batch-mode -num-threads 0")

func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

/// What each module depends on, and what that depends on.
var implied: [String: Set<String>] = [:]

/// The target of a row. A test's name ends with `Tests`, and a program's has no capital letter.
@MainActor
func target(_ name: String, _ path: String, _ marks: [String], _ uses: String) -> Target {
    let isTest = name.hasSuffix("Tests") || name == "ContractExample"
    var all = Set(words(uses).flatMap { groups[$0] ?? [$0] })
    let subject = String(name.dropLast("Tests".count))
    if isTest, implied[subject] != nil { all.insert(subject) }
    implied[name] = all.union(all.flatMap { implied[$0] ?? [] })
    if !["Client", "Sources"].contains(where: path.hasPrefix) { all = implied[name] ?? [] }
    let dependencies = all.sorted().map { Target.Dependency(stringLiteral: $0) }
    let isProgram = name == name.lowercased()
    let target: Target =
        isTest
        ? .testTarget(name: name, dependencies: dependencies, path: path)
        : isProgram
            ? .executableTarget(name: name, dependencies: dependencies, path: path)
            : .target(name: name, dependencies: dependencies, path: path)
    for mark in marks.map({ $0.split(separator: "=") }) where mark.count == 2 {
        if mark[0] == "embed" { target.resources = [.embedInCode(String(mark[1]))] }
        if mark[0] == "exclude" { target.exclude = mark[1].split(separator: "+").map(String.init) }
    }
    // A release build has the tests too. No module waits for their interface.
    let flags =
        path.hasPrefix("Tests/")
        ? ["-Onone", "-no-emit-module-separately-wmo"]
        : marks.filter { $0.hasPrefix("-O") }
            + (path.hasPrefix("Emulator/") && !marks.contains("whole") ? perFile : [])
    target.swiftSettings =
        ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"].map {
            .enableUpcomingFeature($0)
        } + [.treatAllWarnings(as: .error)]
        + (isTest || marks.contains("calls-C") ? [] : [.strictMemorySafety()])
        + (flags.isEmpty ? [] : [.unsafeFlags(flags, .when(configuration: .release))])
    if isProgram, !marks.contains("-dynamic") {
        // One linker map says what is in all functions.
        let link =
            [marks.first { $0.hasPrefix("-static") } ?? "-static-executable"]
            + (name == "refresh" ? ["-Xlinker", "--Map=.build/release.map"] : [])
        target.linkerSettings = [.unsafeFlags(link, .when(configuration: .release))]
    }
    if name == "CPosix" { target.cSettings = [.define("_GNU_SOURCE")] }
    if name == "ContractExample" {  // As in Contracts, where it is to be copied.
        let flags = ["-Xfrontend", "-import-module", "-Xfrontend", "Contracts"]
        target.swiftSettings? += [.unsafeFlags(flags)]
    }
    return target
}

var targets = systemLibraries.map {
    Target.systemLibrary(
        name: $0[0], path: "Sources/C/\($0[0])", pkgConfig: $0[1], providers: [.apt([$0[2]])])
}
var (folder, common) = ("", "")
for line in modules.split(separator: "\n") {
    let row = line.split(separator: ":").map(String.init) + [""]
    let names = row[0].split(separator: ",").map { words(String($0)) }
    let marks = names[names.count - 1]
    let isHeading = row[0].hasSuffix("/")
    if !line.hasPrefix(" ") { (folder, common) = isHeading ? (row[0], row[1]) : ("", "") }
    for name in names where !isHeading {
        let path = folder + name[0]
        let last = String(path.split(separator: "/").last ?? "")
        let own = marks.count > 2 && marks[1] == "as" ? marks[2] : last
        let full = own.hasSuffix("*") ? own.dropLast() + last : own
        targets.append(target(full, path, marks, "\(common) \(row[1])"))
    }
}
targets += functions.map { name in
    let words = name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }
    let path = "Functions/\(folders[name] ?? words.joined())"
    return target(name, path, [], "AuthComposition \(more[name] ?? "")")
}
// libFuzzer is linked by `scripts/fuzz` only.
if Context.environment["LATCHKEY_FUZZ"] != nil {
    targets += [.systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer")]
    targets += [target("fuzz", "Tests/Fuzz/Main", ["calls-C", "-dynamic"], "FuzzTargets CFuzzer")]
}

// A build of some folders, whole: see scripts/build and scripts/sanitize. A build of some test
// targets and what they need: see scripts/test.
let chosen = Context.environment["LATCHKEY_FOLDERS"].map(words)
let tests = Context.environment["LATCHKEY_TESTS"].map(words).map { names in
    Set(names + names.flatMap { implied[$0] ?? [] })
}
targets.removeAll { target in
    tests?.contains(target.name) == false
        || chosen?.contains { target.path?.hasPrefix($0) == true } == false
}
let clients = targets.filter { $0.path?.hasPrefix("Client/") == true }.map(\.name)
let package = Package(
    name: "latchkey", platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9)],
    products: chosen == nil && tests == nil
        ? clients.map { .library(name: $0, targets: [$0]) } : [],
    targets: targets, swiftLanguageModes: [.v6])
