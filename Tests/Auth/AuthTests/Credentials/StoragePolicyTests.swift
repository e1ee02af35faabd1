@Suite("StoragePolicy") struct StoragePolicyTests {
    static let alphabet = [
        "*", "?", "$", "{", "}", "${aws:userid}", "${s3:prefix}", "..", ".", "/", "\\", "%",
        "%2F", "%2e", "é", "e\u{301}", "\u{212A}", "K", "\u{FF0F}", "\u{2215}", "王", "\u{202E}",
        "\u{0}", "\n", "\t", "\u{7F}", "\"", "'", "<", ">", "&", "|", ";", ":", "#", "~", " ",
        "a", "b", "1", "10", "users", "users/1", "-", "_", "=", "@", "+", ",", "(", ")", "[",
    ]
    static let bucket = BucketName(parsing: "photos.example")

    private struct Reading {
        let text: String
        let resource: String
        let listPrefix: String
    }

    /// Parses the policy: valid JSON with exactly these two statements.
    private func read(
        _ prefix: StoragePrefix, _ access: StoragePolicy.Access = .readwrite
    ) throws -> Reading {
        let bucket = try #require(Self.bucket)
        let policy = StoragePolicy(bucket: bucket, partition: "aws", prefix: prefix, access: access)
        let json = try JSON.parse(Array(policy.text.utf8), limits: .request)
        let object = try #require(json.objectValue)
        expectEqual(object.members.map(\.name), ["Version", "Statement"])
        expectEqual(json["Version"]?.stringValue, "2012-10-17")
        let statements = try #require(json["Statement"]?.arrayValue)
        expectEqual(statements.count, 2)
        expectEqual(
            statements[0].objectValue?.members.map(\.name), ["Effect", "Action", "Resource"])
        expectEqual(
            statements[1].objectValue?.members.map(\.name),
            ["Effect", "Action", "Resource", "Condition"])
        expectEqual(statements[1]["Action"]?.stringValue, "s3:ListBucket")
        expectEqual(statements[1]["Resource"]?.stringValue, "arn:aws:s3:::photos.example")
        let condition = try #require(statements[1]["Condition"]?.objectValue)
        expectEqual(condition.members.map(\.name), ["StringLike"])
        expectEqual(condition["StringLike"]?.objectValue?.members.map(\.name), ["s3:prefix"])
        return Reading(
            text: policy.text, resource: try #require(statements[0]["Resource"]?.stringValue),
            listPrefix: try #require(condition["StringLike"]?["s3:prefix"]?.stringValue))
    }

    private static func foreignKeys(_ user: String, _ random: inout SplitMix64) -> [String] {
        let noise = random.text(of: alphabet, count: 0...4)
        return [
            "", "users", "users/", "users/\(user)", "users/\(user)0/x", "users/\(user)x",
            "users/x\(user)/x", "users/\(user.dropLast())/x", "users/other/x", "users/*",
            "users/?", "users/../users/\(user)/x", "/users/\(user)/x", "Users/\(user)/x",
            "users/\(user)\\x", "users/\(user)%2Fx", "users//\(user)/x", "users/\(noise)/x",
            "other/\(user)/x", "\(noise)", "users/\(user)\u{0}/x", "users/ \(user)/x",
        ].filter { !$0.utf8.starts(with: "users/\(user)/".utf8) }
    }

    @Test(arguments: 0..<8) func `no user id gives access outside of its own prefix`(
        block: Int
    ) throws {
        var random = SplitMix64(seed: UInt64(block))
        var accepted = 0
        for _ in 0..<600 {
            let user = random.text(of: Self.alphabet, count: 0...6)
            guard let own = StoragePrefix(template: "users/{userId}/", user: user) else { continue }
            accepted += 1
            expectEqual(own.text, "users/\(user)/")
            let policy = try read(own)
            try expectConfined(policy, to: own.text, user: user, &random)
        }
        #expect(accepted > 5)
    }

    @Test(arguments: 0..<8) func `no requested prefix gives access outside of the user's prefix`(
        block: Int
    ) throws {
        var random = SplitMix64(seed: UInt64(100 + block))
        let user = "a1b2c3d4-e5f6-4890-abcd-ef1234567890"
        let own = try #require(StoragePrefix(template: "users/{userId}/", user: user))
        var accepted = 0
        for round in 0..<600 {
            var asked = random.text(of: Self.alphabet, count: 0...6)
            if round.isMultiple(of: 3) { asked = "users/\(user)/" + asked }
            if round.isMultiple(of: 7) { asked = "users/\(user)0/" + asked }
            guard let narrowed = own.narrowed(to: asked) else { continue }
            accepted += 1
            #expect(narrowed.text.utf8.starts(with: own.text.utf8))
            let policy = try read(narrowed)
            try expectConfined(policy, to: narrowed.text, user: user, &random)
        }
        #expect(accepted > 20)
    }

    private func expectConfined(
        _ policy: Reading, to prefix: String, user: String, _ random: inout SplitMix64
    ) throws {
        let arn = "arn:aws:s3:::photos.example/"
        #expect(policy.resource == arn + prefix + "*" && policy.listPrefix == prefix + "*")
        expectEqual(policy.resource.utf8.count { $0 == UInt8(ascii: "*") }, 1)
        #expect(!policy.resource.contains("?") && !PolicyWildcard.hasVariable(policy.text))
        for key in Self.foreignKeys(user, &random) {
            #expect(!PolicyWildcard.matches(policy.resource, arn + key), "\(key.debugDescription)")
            #expect(!PolicyWildcard.matches(policy.listPrefix, key), "\(key.debugDescription)")
        }
        for bucket in ["photos-example", "photosXexample", "photos.example2", "other"] {
            let foreign = "arn:aws:s3:::\(bucket)/\(prefix)x"
            #expect(!PolicyWildcard.matches(policy.resource, foreign))
        }
        for own in ["x", "a/b/c", "*", "", random.text(of: Self.alphabet, count: 0...4)] {
            #expect(PolicyWildcard.matches(policy.resource, arn + prefix + own))
            #expect(PolicyWildcard.matches(policy.listPrefix, prefix + own))
        }
    }

    @Test func `reading does not permit writing, and writing permits only changes of objects`()
        throws
    {
        let prefix = try #require(StoragePrefix(parsing: "users/1/"))
        #expect(try read(prefix, .read).text.contains("\"Action\":[\"s3:GetObject\"]"))
        for word in ["Put", "Delete", "Multipart", "Acl", "Policy", "s3:*", "Version\":\"s3"] {
            #expect(try !read(prefix, .read).text.contains("s3:\(word)"))
        }
        for word in ["Acl", "Bucket\"", "Tagging", "Policy", "*\"]"] {
            #expect(try !read(prefix).text.contains("s3:Put\(word)"))
        }
    }

    @Test func `the policy size is limited as in STS`() throws {
        // The prefix occurs twice in the text.
        let bucket = try #require(Self.bucket)
        func policy(_ bytes: Int) throws -> StoragePolicy {
            let text = String(repeating: "a", count: bytes - 1) + "/"
            let prefix = try #require(StoragePrefix(parsing: text))
            return StoragePolicy(
                bucket: bucket, partition: "aws", prefix: prefix, access: .readwrite)
        }
        let longest = try policy(StoragePrefix.bytesMax)
        #expect(longest.isWithinLimit && longest.text.unicodeScalars.count <= 2048)
        expectEqual(StoragePolicy.charactersMax, 2048)
        try expectEqual(policy(3).text.utf8.count, policy(2).text.utf8.count + 2)
    }

    @Test func `the wildcard matcher of these tests agrees with IAM`() {
        let yes = [
            ("a*", "a"), ("a*", "abc"), ("*", ""), ("a?c", "abc"), ("a*c*", "abcd"), ("", ""),
        ]
        let no = [("a*", "b"), ("a?", "a"), ("a", "ab"), ("a?c", "ac"), ("", "a"), ("*b", "a")]
        for (pattern, text) in yes { #expect(PolicyWildcard.matches(pattern, text)) }
        for (pattern, text) in no { #expect(!PolicyWildcard.matches(pattern, text)) }
        // A known pitfall, which the test above must be able to detect.
        #expect(PolicyWildcard.matches("users/1*", "users/10/x"))
    }
}

@Suite("StoragePrefix and BucketName") struct StoragePrefixTests {
    static let refused: [String] = [
        "", "/", "a", "//", "a//", "/a/", "a//b/", "./", "../", "a/../", "a/./b/", ".../", "*/",
        "a*/", "?/", "${x}/", "a b/", "a\u{0}/", "a\n/", "é/", "e\u{301}/", "a\\b/", "a%2Fb/",
        "a:b/", "a\"/", "<a>/", "a/b", "\u{202E}a/", String(repeating: "a", count: 512) + "/",
        String(repeating: "a/", count: 17), "a/\u{301}",
    ]

    @Test(arguments: refused) func `an invalid prefix is refused`(raw: String) {
        expectEqual(StoragePrefix(parsing: raw), nil)
    }

    static let accepted = [
        "a/", "users/1/", "users/a.b@c+d,e=f_g-h/", "a/..b/", "a/b../",
        String(repeating: "a", count: 511) + "/", String(repeating: "a/", count: 16),
    ]

    @Test(arguments: accepted) func `a valid prefix is accepted`(raw: String) {
        expectEqual(StoragePrefix(parsing: raw)?.text, raw)
    }

    static let templates = [
        "", "users/", "users/{userId}", "{userId}", "{userId}{userId}/", "{userId}/{userId}/",
        "u{userId}/", "{userId}x/", "{USERID}/", "{userid}/", "../{userId}/", "/{userId}/",
        "*/{userId}/", "${x}/{userId}/", "{userId}/../", "{userId}//", "{userId}/\u{301}",
    ]

    @Test(arguments: templates) func `a template without a whole segment for the user is refused`(
        template: String
    ) {
        expectEqual(StoragePrefix(template: template, user: "1"), nil)
    }

    @Test func `a prefix can only be narrowed`() throws {
        let own = try #require(StoragePrefix(parsing: "users/1/"))
        let rows: [(String, String?)] = [
            ("photos", "users/1/photos/"), ("photos/", "users/1/photos/"),
            ("users/1/photos/", "users/1/photos/"), ("users/1/", "users/1/"),
            ("users/1", "users/1/"), ("users/10/", "users/1/users/10/"),
            ("users/2/", "users/1/users/2/"), ("", nil), ("/", nil), ("..", nil), ("../2/", nil),
            ("photos/../../2", nil), ("/users/2/", nil), ("*", nil), ("users/1/../2/", nil),
            ("users/1//", nil), ("${aws:userid}", nil), (".", nil), ("photos/*", nil),
        ]
        for (asked, expected) in rows {
            expectEqual(own.narrowed(to: asked)?.text, expected, "\(asked)")
        }
    }

    static let buckets = [
        "", "ab", "AB-C", "a_b", "-abc", "abc-", ".abc", "abc.", "a..b", "a/b", "a*c", "a b",
        "arn:aws:s3:::x", "büc", String(repeating: "a", count: 64), "abc\n", "a?c",
    ]

    @Test(arguments: buckets) func `an invalid bucket name is refused`(raw: String) {
        expectEqual(BucketName(parsing: raw), nil)
    }
}
