// swift-tools-version: 6.2
import PackageDescription

// The folders show the layers (docs/architecture.md), and dependencies point one way.

/// A row has a folder, `as` and the module's name if it is another one (`*`: the folder's), marks,
/// and after a colon the modules of rows above that it depends on. Folders with commas share the
/// rest. A line `FOLDER/: NAMES` begins the rows of a folder, which all depend on the names too, as
/// tests do on their module. Outside Sources and Client, so does a module on what these depend on.
///
/// `calls-C`: not strictly memory-safe. `-Osize`: large, and runs little in a request (the kernel
/// maps less of a small executable). `-Onone`: works in a command or for a person. `whole`: answers
/// each call, and is optimised whole although it is of the emulator. `-dynamic`, `-static-stdlib`:
/// not linked statically in a release. `import`: each file imports that module.
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
        CPosix Contracts FunctionRuntime HTTP HTTPClient JSON SQLite StoreTransfer Threads Time
    Client/
      LatchkeyClient resource=PrivacyInfo.xcprivacy
      LatchkeyUploads resource=PrivacyInfo.xcprivacy: LatchkeyClient
      LatchkeyContracts: LatchkeyClient
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
      Support as AppSupport: LatchkeyContracts
      livlogios, news_app, photolala, shell, whateat as app-* -Onone -dynamic: base AppSupport \
        LatchkeyUploads
    Tests/Support/: base
      TestSupport calls-C: Threads
      BaseTestSupport: TestSupport
      CBORTestSupport: CBOR
      WebAuthnTestSupport: CBORTestSupport WebAuthn
      ProviderTestSupport calls-C: EmulatorBase JOSE TestSupport
      AuthTestSupport calls-C: AuthOperations
    docs/contract-example/Journal as ContractExample import=Contracts: AuthTestSupport Contracts
    Tools/: base
      FixtureStep as fixture-step: AuthComposition AuthPages
      AllFunctions as all-functions: AuthComposition AuthPages OperatorCommands
      DaySimulation as simulate-day: AuthPages AuthTestSupport
      Simulation/Simulations calls-C: AuthPages AuthTestSupport DynamoDBStore EmulatorDynamoDB \
        LatchkeyContracts LatchkeyVerifier WebAuthnTestSupport
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
      Client/LatchkeyClientTests: LatchkeyContracts LatchkeyCurl LatchkeyUploads LatchkeyVerifier
    Tests/Emulator/: BaseTestSupport
      EmulatorBaseTests, EmulatorDebuggingTests, EmulatorDynamoDBTests
      EmulatorAWSTests, EmulatorCLITests: AWSClients AWSSignature HTTPClient JOSE
      EmulatorGatewayTests: FunctionRuntime
      EmulatorLambdaTests, EmulatorReplayTests exclude=Programs
      EmulatorSMTPTests: EmulatorThirdParties
      EmulatorThirdPartiesTests: AuthComposition AuthTestSupport
    Tests/Auth/: AuthTestSupport BaseTestSupport HTTPClient
      AuthTests: SQLiteStore WebAuthnTestSupport
      CompositionTests: AuthComposition AuthPages
      ContractsTests exclude=Golden: AuthPages ContractExample WebAuthnTestSupport
      AuthMailTests, IdentityProvidersTests
      WebAuthnTests exclude=Vectors: WebAuthnTestSupport
    Tests/System/: AuthTestSupport BaseTestSupport HTTPClient ProviderTestSupport
      ClientTests exclude=Clients+Templates+Transcripts: Contracts LatchkeyContracts LatchkeyCurl \
        LatchkeyUploads WebAuthnTestSupport
      FunctionTests exclude=Bridges: AuthPages EmulatorReplay
      ProcessTests exclude=check-metrics.py+Release-0.1.0: stores EmulatorThirdParties
      SimulationTests: Simulations
      TemplateTests exclude=deployments+sam-transform: AuthComposition ContractExample \
        generate-templates
    Functions/: AuthComposition
      AddPassword, AdminLogin, AdminLogout, AppleNotifications, Audit, Authorizer, Challenge, \
        ChangeEmail, ChangePassword, ConfirmEmail, Credentials, DeleteAccount, Device, Devices, \
        Export, ForgotPassword, Guest, Housekeeping, ImportUsers, Introspect, Keys, Link, \
        LogIn as login, MagicLink, Me, Merge, Methods, Par, PasskeyDocuments, PasskeyOptions, \
        PasskeySignIn as passkey-signin, PasskeySignUp as passkey-signup, Passkeys, \
        RedeemMagicLink, Refresh, Register, RegisterClient, ResendVerification, ResetPassword, \
        Revocations, Revoke, SecondFactor, Sessions, SignIn as signin, SignOut as signout, StepUp, \
        TOTP as totp, Token, Userinfo, Users, VerifyEmail, Webhooks
      UI as ui, Admin: AuthPages
      Latchkey: AuthPages OperatorCommands
    """
let groups = [  // Names for several modules.
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
/// After an edit of the emulator only the file is compiled again: 3 seconds instead of up to 35.
let perFile = words("-no-whole-module-optimization -incremental -enable-batch-mode -num-threads 0")
/// By `scripts/swift`. An app with a path to this package builds it in spite of warnings, such as
/// those of a later SDK.
let isStrict = Context.environment["LATCHKEY_STRICT"] == "1"

func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

/// What each module depends on, and what that depends on.
var implied: [String: Set<String>] = [:]

/// The target of a row. A test's name ends with `Tests`, and a program's has no capital letter.
@MainActor
func target(_ name: String, _ path: String, _ marks: [String], _ uses: String) -> Target {
    let isTest = name.hasSuffix("Tests") || name == "ContractExample"
    let subject = [String(name.dropLast("Tests".count))].filter { isTest && implied[$0] != nil }
    var all = Set((words(uses) + subject).flatMap { groups[$0] ?? [$0] })
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
    var flags = marks.filter { $0.hasPrefix("-O") }
    if path.hasPrefix("Emulator/"), !marks.contains("whole") { flags += perFile }
    // A release build has the tests too. No module waits for their interface.
    if path.hasPrefix("Tests/") { flags = ["-Onone", "-no-emit-module-separately-wmo"] }
    let features = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
    target.swiftSettings =
        features.map { .enableUpcomingFeature($0) }
        + (isStrict ? [.treatAllWarnings(as: .error)] : [])
        + (!isStrict || isTest || marks.contains("calls-C") ? [] : [.strictMemorySafety()])
        + (flags.isEmpty ? [] : [.unsafeFlags(flags, .when(configuration: .release))])
    for mark in marks.map({ $0.split(separator: "=") }) where mark.count == 2 {
        if mark[0] == "embed" { target.resources = [.embedInCode(String(mark[1]))] }
        if mark[0] == "resource" { target.resources = [.process(String(mark[1]))] }
        if mark[0] == "exclude" { target.exclude = mark[1].split(separator: "+").map(String.init) }
        if mark[0] == "import" {
            let flags = ["-Xfrontend", "-import-module", "-Xfrontend", String(mark[1])]
            target.swiftSettings? += [.unsafeFlags(flags)]
        }
    }
    if isProgram, !marks.contains("-dynamic") {
        let link = marks.first { $0.hasPrefix("-static") } ?? "-static-executable"
        // One linker map says what is in all functions.
        let map = name == "refresh" ? ["-Xlinker", "--Map=.build/release.map"] : []
        target.linkerSettings = [.unsafeFlags([link] + map, .when(configuration: .release))]
    }
    if name == "CPosix" { target.cSettings = [.define("_GNU_SOURCE")] }
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
        let named = name.contains("as") ? name : marks
        // `Functions/AddPassword` builds `add-password`.
        let kebab = last.flatMap { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" }.dropFirst()
        let own = named.contains("as") ? named[2] : folder == "Functions/" ? String(kebab) : last
        let full = own.hasSuffix("*") ? own.dropLast() + last : own
        targets.append(target(full, path, marks, "\(common) \(row[1])"))
    }
}
if Context.environment["LATCHKEY_FUZZ"] != nil {  // By `scripts/fuzz`, which links libFuzzer.
    targets += [.systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer")]
    targets += [target("fuzz", "Tests/Fuzz/Main", ["calls-C", "-dynamic"], "FuzzTargets CFuzzer")]
}

// For builds of some folders or test targets: scripts/build, scripts/sanitize, scripts/test.
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
    products: clients.map { .library(name: $0, targets: [$0]) }, targets: targets,
    swiftLanguageModes: [.v6])
