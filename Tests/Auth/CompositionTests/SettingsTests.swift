import AuthComposition
import Contracts
import Cryptography
import Foundation
import FunctionRuntime
import JOSE
import Synchronization
import Testing

@Suite("Settings") struct SettingsTests {
    let bench: Workbench

    init() throws { bench = try Workbench() }

    @Test func `nothing has to be set`() throws {
        #expect(bench.problems(["STORE": "sqlite:\(bench.path("state.db"))"]) == [])
        #expect(bench.problems(["STORE": "memory:"]) == [])
    }

    /// Marked, so that a value in a message shows.
    static let wrong: [String: String] = [
        "STORE": "redis:s3cr3t", "CONTRACT": "s3cr3t", "ISSUER": "http://s3cr3t.example.com",
        "TRUSTED_HOPS": "s3cr3t", "REFRESH_GRACE_SECONDS": "-s3cr3t", "REQUIRE_NONCE": "s3cr3t",
        "SIGNING_KEY": "-----BEGIN s3cr3t", "MASTER_KEY": "s3cr3t",
        "STORAGE_BUCKET": "S3CR3T_s3cr3t", "STORAGE_ROLE_ARN": "s3cr3t",
        "STORAGE_PREFIX": "s3cr3t", "STORAGE_CREDENTIALS": "s3cr3t",
        "APPLE_CLIENT_IDS": "com.example.app", "APPLE_ISSUER": "http://s3cr3t.example.com",
        "OIDC_PROVIDERS": "S3cr3t! apple", "ID_TOKEN_AGE_SECONDS_MAX": "s3cr3t",
        "GOOGLE_CLIENT_IDS": "g", "GOOGLE_JWKS_FILE": "/nowhere/s3cr3t",
    ]

    @Test func `everything that is wrong is said at once, and no value of it`() {
        let problems = bench.problems(Self.wrong, serving: [.signIn, .credentials])
        let variables = [
            "STORE ", "CONTRACT", "ISSUER", "TRUSTED_HOPS", "REFRESH_GRACE_SECONDS",
            "REQUIRE_NONCE", "SIGNING_KEY", "MASTER_KEY", "STORAGE_BUCKET", "STORAGE_ROLE_ARN",
            "STORAGE_PREFIX", "STORAGE_CREDENTIALS", "APPLE_ISSUER", "OIDC_PROVIDERS",
            "ID_TOKEN_AGE_SECONDS_MAX", "GOOGLE_JWKS_FILE",
        ]
        for variable in variables {
            #expect(problems.contains { $0.contains(variable) }, "\(variable)")
        }
        for problem in problems {
            #expect(!problem.lowercased().contains("s3cr3t"), "\(problem)")
        }
    }

    @Test func `the authorizer's own settings are said with the others`() {
        let assembly = bench.assembly([
            "STORE": "redis:", "AUTHORIZER_MODE": "s3cr3t", "AUTHORIZER_RESPONSE": "s3cr3t",
        ])
        do throws(StartFailure) {
            _ = try LatchkeyFunction.authorizerHandler(assembly, bench.log)
            Issue.record("started")
        } catch {
            #expect(error.problems.count == 3)
            #expect(!"\(error)".contains("s3cr3t"))
        }
    }

    static let stores: [(String, Bool)] = [
        ("memory:", true), ("memory", false), ("memory:x", false), ("MEMORY:", false),
        ("sqlite:", false), ("sqlite", false), ("SQLITE:x", false), ("", true),
        ("dynamodb:", false), ("dynamodb:ab", false), ("dynamodb:a/b", false),
        ("dynamodb:tab le", false), ("redis://x", false), ("file:x", false), (" memory:", false),
    ]

    @Test func `a store is named in one of three ways`() throws {
        for (store, isGood) in Self.stores where !store.isEmpty {
            #expect(bench.problems(["STORE": store]).isEmpty == isGood, "\(store)")
        }
        let cloud = [
            "STORE": "dynamodb:latchkey-prod_1.x", "AWS_REGION": "eu-central-1",
            "ISSUER": "https://auth.example.com",
            "MASTER_KEY": String(repeating: "0123456789abcdef", count: 4),
        ]
        #expect(bench.problems(cloud) == [])
        for needed in ["AWS_REGION", "ISSUER", "MASTER_KEY"] {
            var less = cloud
            less[needed] = nil
            let problems = bench.problems(less)
            #expect(problems.count == 1 && problems[0].contains(needed), "\(needed)")
        }
        #expect(bench.problems(["STORE": "dynamodb:latchkey"]).count == 3)
        #expect(bench.requests.withLock { $0.isEmpty })
    }

    @Test func `a wrong setting leaves no file behind`() {
        let store = "sqlite:\(bench.path("state.db"))"
        #expect(bench.problems(["STORE": store, "TRUSTED_HOPS": "99"]).count == 1)
        let files = try? FileList.names(in: bench.folder)
        #expect(files == [])
    }

    static let issuers: [(String, Bool)] = [
        ("https://auth.example.com", true), ("https://auth.example.com/tenant", true),
        ("http://localhost:8000", true), ("http://localhost", true), ("http://127.0.0.1:9/x", true),
        ("http://[::1]:8000", true), ("http://auth.example.com", false),
        ("auth.example.com", false),
        ("http://localhost.evil.com", false), ("http://localhostx", false), ("ftp://x", false),
        ("http://127.0.0.1.evil.com", false),
        ("https://" + String(repeating: "a", count: 300), false),
    ]

    @Test func `an issuer is https, or this machine`() {
        for (issuer, isGood) in Self.issuers {
            let problems = bench.problems(["STORE": "memory:", "ISSUER": issuer])
            #expect(problems.isEmpty == isGood, "\(issuer)")
        }
    }

    @Test func `whole numbers have bounds`() {
        for value in ["-1", "9", "1.0", "1e1", "٣", " 1", "+1", "0x1", "99999999999999999999"] {
            #expect(
                !bench.problems(["STORE": "memory:", "TRUSTED_HOPS": value]).isEmpty, "\(value)")
        }
        for value in ["0", "1", "8"] {
            #expect(bench.problems(["STORE": "memory:", "TRUSTED_HOPS": value]).isEmpty)
        }
    }

    @Test func `a secret for HS256 has its bytes, by value and by file`() throws {
        func problems(_ secret: String) -> [String] {
            bench.problems(
                ["STORE": "memory:", "CONTRACT": "whateat", "JWT_SECRET": secret],
                serving: [.signOut])
        }
        #expect(problems(String(repeating: "k", count: 32)) == [])
        #expect(problems(String(repeating: "k", count: 31)).count == 1)
        let file = try bench.write("secret", String(repeating: "k", count: 32) + "\n")
        #expect(problems("file:\(file)") == [])
        let short = try bench.write("short", String(repeating: "k", count: 31) + "\n\n")
        #expect(problems("file:\(short)").count == 1)
        for missing in ["file:/nowhere/s3cr3t", "file:", "file:\(bench.folder.path)"] {
            let found = problems(missing)
            #expect(found.count == 1 && !found[0].contains("s3cr3t"), "\(missing)")
        }
    }

    @Test func `a signing key is of the contract's algorithm, the first one signs`() throws {
        let pem = try KeyFile.es256()
        let other = try KeyFile.es256()
        func problems(_ key: String) -> [String] {
            bench.problems(["STORE": "memory:", "SIGNING_KEY": key], serving: [.keySet])
        }
        #expect(problems(pem) == [])
        #expect(problems(pem + "\n" + other) == [])
        #expect(problems("file:" + (try bench.write("key.pem", pem))) == [])
        for bad in ["x", pem + "\nx", KeyFile.rsaPublic, String(pem.dropLast(40)), pem + pem] {
            #expect(problems(bad).count == 1)
        }
    }

    @Test func `storage is asked for only where it is used, and then in full`() {
        let storage = [
            "STORE": "memory:", "AWS_REGION": "eu-central-1", "STORAGE_BUCKET": "photos",
            "STORAGE_ROLE_ARN": "arn:aws:iam::123456789012:role/storage",
        ]
        #expect(bench.problems(storage, serving: [.credentials]) == [])
        for name in ["STORAGE_BUCKET", "STORAGE_ROLE_ARN", "AWS_REGION"] {
            var less = storage
            less[name] = nil
            #expect(!bench.problems(less, serving: [.credentials]).isEmpty, "\(name)")
            #expect(bench.problems(less, serving: [.me]) == [])
        }
        let wrong: [(String, String)] = [
            ("STORAGE_BUCKET", "Photos"), ("STORAGE_BUCKET", "a..b"), ("STORAGE_BUCKET", "*"),
            ("STORAGE_ROLE_ARN", "arn:aws:iam::1:user/x"),
            ("STORAGE_ROLE_ARN", "arn:evil:iam::1:role/x"),
            ("STORAGE_ROLE_ARN", "role/x"), ("STORAGE_PREFIX", "users/"),
            ("STORAGE_PREFIX", "users/{userId}"), ("STORAGE_PREFIX", "*/{userId}/"),
            ("STORAGE_PREFIX", "{userId}/{userId}/"), ("STORAGE_PREFIX", "../{userId}/"),
            ("STORAGE_CREDENTIALS", "root"),
        ]
        for (name, value) in wrong {
            var broken = storage
            broken[name] = value
            #expect(bench.problems(broken, serving: [.credentials]).count == 1, "\(name) \(value)")
        }
    }

    @Test func `photolala signs nobody in without a place to store`() {
        let problems = bench.problems(
            ["STORE": "memory:", "CONTRACT": "photolala"], serving: [.signIn])
        #expect(problems.contains { $0.contains("STORAGE_BUCKET") })
    }

    @Test func `a contract without the operation does not start`() {
        #expect(
            bench.problems(["STORE": "memory:", "CONTRACT": "photolala"], serving: [.me]).count == 1
        )
    }
}
