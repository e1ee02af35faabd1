import AuthTestSupport
import Contracts
import Foundation

@Suite("Settings") struct SettingsTests {
    let deployment: TestDeployment

    init() throws { deployment = try TestDeployment() }

    @Test func `no setting is required`() throws {
        expectEqual(deployment.problems(["STORE": "sqlite:\(deployment.path("state.db"))"]), [])
        expectEqual(deployment.problems(["STORE": "memory:"]), [])
    }

    /// Each value contains a marker, which must not occur in messages.
    static let wrong: [String: String] = [
        "STORE": "redis:s3cr3t", "CONTRACT": "s3cr3t", "ISSUER": "http://s3cr3t.example.com",
        "TRUSTED_HOPS": "s3cr3t", "REFRESH_GRACE_SECONDS": "-s3cr3t", "REQUIRE_NONCE": "s3cr3t",
        "SIGNING_KEY": "-----BEGIN s3cr3t", "MASTER_KEY": "s3cr3t",
        "STORAGE_BUCKET": "S3CR3T_s3cr3t", "STORAGE_ROLE_ARN": "s3cr3t",
        "STORAGE_PREFIX": "s3cr3t", "STORAGE_CREDENTIALS": "s3cr3t",
        "APPLE_CLIENT_IDS": "com.example.app", "APPLE_ISSUER": "http://s3cr3t.example.com",
        "OIDC_PROVIDERS": "S3cr3t! apple", "ID_TOKEN_AGE_SECONDS_MAX": "s3cr3t",
        "GOOGLE_CLIENT_IDS": "g", "GOOGLE_JWKS_FILE": "s3cr3t",
    ]

    @Test func `all errors are reported at once, without values`() {
        let problems = ["signin", "credentials"].flatMap { deployment.problems(Self.wrong, of: $0) }
        let variables = [
            "STORE ", "CONTRACT", "ISSUER", "TRUSTED_HOPS", "REFRESH_GRACE_SECONDS",
            "REQUIRE_NONCE", "SIGNING_KEY", "MASTER_KEY", "STORAGE_BUCKET", "STORAGE_ROLE_ARN",
            "STORAGE_PREFIX", "STORAGE_CREDENTIALS", "APPLE_ISSUER", "OIDC_PROVIDERS",
            "ID_TOKEN_AGE_SECONDS_MAX", "GOOGLE_JWKS_FILE",
        ]
        for variable in variables {
            #expect(problems.contains { $0.contains(variable) }, "\(variable)")
        }
        for problem in problems { #expect(!problem.lowercased().contains("s3cr3t"), "\(problem)") }
    }

    @Test func `errors in the authorizer's settings are reported with the others`() {
        let assembly = deployment.assembly([
            "STORE": "redis:", "AUTHORIZER_MODE": "s3cr3t", "AUTHORIZER_RESPONSE": "s3cr3t",
        ])
        do throws(StartFailure) {
            _ = try LatchkeyFunction.authorizerHandler(assembly, deployment.log)
            Issue.record("started")
        } catch {
            expectEqual(error.problems.count, 3)
            #expect(!"\(error)".contains("s3cr3t"))
        }
    }

    static let stores: [(String, Bool)] = [
        ("memory:", true), ("memory", false), ("memory:x", false), ("MEMORY:", false),
        ("sqlite:", false), ("sqlite", false), ("SQLITE:x", false), ("", true),
        ("dynamodb:", false), ("dynamodb:ab", false), ("dynamodb:a/b", false),
        ("postgres:", false), ("postgres://", false), ("postgres://user@host", false),
        ("postgres://host/database", false), ("postgres://user@host:0/database", false),
        ("postgres://user@host/database?sslmode=prefer", false),
        ("postgresql://user@host/database?table=Items", false),
        ("postgresql://user@host/database?options=-csearch_path=x", false),
        ("dynamodb:tab le", false), ("redis://x", false), ("file:x", false), (" memory:", false),
    ]

    @Test func `a store has one of four forms`() throws {
        for (store, isGood) in Self.stores where !store.isEmpty {
            expectEqual(deployment.problems(["STORE": store]).isEmpty, isGood, "\(store)")
        }
        let cloud = [
            "STORE": "dynamodb:latchkey-prod_1.x", "AWS_REGION": "eu-central-1",
            "ISSUER": "https://auth.example.com",
            "MASTER_KEY": String(repeating: "0123456789abcdef", count: 4),
        ]
        expectEqual(deployment.problems(cloud), [])
        for needed in ["AWS_REGION", "ISSUER", "MASTER_KEY"] {
            var less = cloud
            less[needed] = nil
            let problems = deployment.problems(less)
            #expect(problems.count == 1 && problems[0].contains(needed), "\(needed)")
        }
        expectEqual(deployment.problems(["STORE": "dynamodb:latchkey"]).count, 3)
        expectEqual(
            deployment.problems(["STORE": "postgres://user@db.example.com/latchkey"]),
            [
                "ISSUER is required with a PostgreSQL store",
                "MASTER_KEY is required with a PostgreSQL store",
            ])
        #expect(deployment.requests.withLock { $0.isEmpty })
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

    @Test func `an issuer is https, or on this machine`() {
        for (issuer, isGood) in Self.issuers {
            let problems = deployment.problems(["STORE": "memory:", "ISSUER": issuer])
            expectEqual(problems.isEmpty, isGood, "\(issuer)")
        }
    }

    @Test func `integers outside their limits are refused`() {
        for value in ["-1", "9", "1.0", "1e1", "٣", " 1", "+1", "0x1", "99999999999999999999"] {
            #expect(
                !deployment.problems(["STORE": "memory:", "TRUSTED_HOPS": value]).isEmpty,
                "\(value)")
        }
        for value in ["0", "1", "8"] {
            #expect(deployment.problems(["STORE": "memory:", "TRUSTED_HOPS": value]).isEmpty)
        }
    }

    @Test func `a secret for HS256 can be a value or a file`() throws {
        func problems(_ secret: String) -> [String] {
            deployment.problems(
                ["STORE": "memory:", "CONTRACT": "whateat", "JWT_SECRET": secret],
                of: "signout")
        }
        expectEqual(problems(String(repeating: "k", count: 32)), [])
        expectEqual(problems(String(repeating: "k", count: 31)).count, 1)
        let file = try deployment.write("secret", String(repeating: "k", count: 32) + "\n")
        expectEqual(problems("file:\(file)"), [])
        let short = try deployment.write("short", String(repeating: "k", count: 31) + "\n\n")
        expectEqual(problems("file:\(short)").count, 1)
        for missing in ["file:/nowhere/x", "file:", "file:\(deployment.folder.path)"] {
            expectEqual(problems(missing).count, 1, "\(missing)")
        }
    }

    @Test func `signing keys have the contract's algorithm, and the first one signs`() throws {
        let pem = try KeyFile.es256()
        let other = try KeyFile.es256()
        func problems(_ key: String) -> [String] {
            deployment.problems(["STORE": "memory:", "SIGNING_KEY": key], of: "keys")
        }
        expectEqual(problems(pem), [])
        expectEqual(problems(pem + "\n" + other), [])
        expectEqual(problems("file:" + (try deployment.write("key.pem", pem))), [])
        for bad in ["x", pem + "\nx", KeyFile.rsaPublic, String(pem.dropLast(40)), pem + pem] {
            expectEqual(problems(bad).count, 1)
        }
    }

    @Test func `storage settings are only required if storage is used, and then completely`() {
        let storage = [
            "STORE": "memory:", "AWS_REGION": "eu-central-1", "STORAGE_BUCKET": "photos",
            "STORAGE_ROLE_ARN": "arn:aws:iam::123456789012:role/storage",
        ]
        expectEqual(deployment.problems(storage, of: "credentials"), [])
        for name in ["STORAGE_BUCKET", "STORAGE_ROLE_ARN", "AWS_REGION"] {
            var less = storage
            less[name] = nil
            #expect(!deployment.problems(less, of: "credentials").isEmpty, "\(name)")
            expectEqual(deployment.problems(less, of: "me"), [])
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
            expectEqual(deployment.problems(broken, of: "credentials").count, 1, "\(name) \(value)")
        }
    }

    static let limits: [(String, Bool)] = [
        ("off", true), ("signIn.address=600/60", true), ("refresh.session=off", true),
        ("signIn.address=1/1,refresh.session=off, signOut.account=5/86400", true),
        ("on", false), ("signIn=off", false), ("signIn.address", false),
        ("signIn.address=0/60", false), ("signIn.address=1/0", false),
        ("signIn.address=1/86401", false), ("signIn.address=-1/60", false),
        ("signIn.address=1", false), ("nothing.address=1/60", false),
        // Six digits can be guessed without a limit.
        ("secondFactor.account=10/60,secondFactor.address=off", true),
        ("secondFactor.account=off", false),
        ("signIn.nobody=1/60", false), ("signIn.address=1/60=x", false),
        ("me.session=1/60,credentials.address=1/60,refresh.account=1/60", true),
        // Subjects that the operations do not count.
        ("challenge.account=1/60", false), ("signIn.session=1/60", false),
        ("refresh.email=1/60", false), ("keySet.address=1/60", false),
        ("authorize.account=1/60", false),
    ]

    @Test(arguments: limits) func `rate limits can be changed or switched off`(
        limits: String, isGood: Bool
    ) {
        let problems = deployment.problems(["STORE": "memory:", "RATE_LIMITS": limits])
        expectEqual(problems.isEmpty, isGood)
        #expect(problems.allSatisfy { $0.hasPrefix("RATE_LIMITS") })
    }

    @Test func `a limit that no operation counts is refused, and the others are listed`() throws {
        let problems = deployment.problems([
            "STORE": "memory:", "RATE_LIMITS": "challenge.session=1/60",
        ])
        let problem = try #require(problems.first)
        #expect(
            problem.hasPrefix(
                "RATE_LIMITS: each entry is operation.subject=requests/seconds or =off; the "
                    + "limits are challenge.address, signIn.address|account, "))
        #expect(problem.contains(", refresh.address|account|session, "))
        for name in ["keySet.", "discovery.", " authorize."] { #expect(!problem.contains(name)) }
    }

    @Test func `functions that write to the audit log need a key`() {
        let cloud = [
            "STORE": "dynamodb:latchkey", "AWS_REGION": "eu-central-1",
            "ISSUER": "https://auth.example.com",
        ]
        let secret = String(repeating: "k", count: 32)
        expectEqual(
            deployment.problems(cloud, of: "sessions"), ["AUDIT_KEY is required, or MASTER_KEY"])
        for name in ["AUDIT_KEY", "MASTER_KEY"] {
            let keyed = cloud.merging([name: secret]) { one, _ in one }
            expectEqual(deployment.problems(keyed, of: "sessions"), [])
            let short = cloud.merging([name: "short"]) { one, _ in one }
            let problems = deployment.problems(short, of: "sessions")
            #expect(problems.count == 1 && problems[0].hasPrefix(name), "\(problems)")
        }
        for function in ["signin", "refresh", "signout", "keys"] {
            let problems = deployment.problems(cloud, of: function)
            #expect(problems.count == 1 && problems[0].hasPrefix("MASTER_KEY"), "\(function)")
        }
        // A shared secret cannot verify without being able to sign.
        let shared = cloud.merging(["CONTRACT": "whateat"]) { one, _ in one }
        expectEqual(deployment.problems(shared, of: "signout").count, 1)
    }
}
