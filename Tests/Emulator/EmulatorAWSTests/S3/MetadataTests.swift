import BaseTestSupport

@Suite struct MetadataTests {
    /// Amazon S3 User Guide, "Working with object metadata": text outside ASCII is returned as an
    /// encoded word.
    @Test(arguments: [
        ("", ""), ("plain _=?", "plain _=?"), ("Ä S3_", "=?UTF-8?Q?=C3=84_S3=5F?="),
        ("=?UTF-8?Q?=C3=84?=", "=?UTF-8?Q?=C3=84?="), ("=?UTF-8?B?YWJj?=", "abc"),
        ("=?utf-8?q?a_b?=", "a b"), ("=?UTF-8?B?AAECAw==?=", "=?UTF-8?B?AAECAw==?="),
        ("=?UTF-8?B?=GGG?=", "=?UTF-8?B?=GGG?="), ("=?ascii?Q?a?=", "=?ascii?Q?a?="),
    ])
    func `metadata is returned in the service's encoding`(sent: String, answered: String) throws {
        let harness = try S3Harness()
        _ = try harness.call(.put, "/photos")
        try harness.put("/photos/k", "x", headers: [("x-amz-meta-a", sent)])
        try expectEqual(harness.call(.get, "/photos/k").header("x-amz-meta-a"), answered)
    }
}
