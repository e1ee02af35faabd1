import BaseTestSupport

@Suite("BucketCORS") struct BucketCORSTests {
    private static let bucket: JSON = [
        "Type": "AWS::S3::Bucket",
        "Properties": [
            "BucketName": "photos",
            "CorsConfiguration": [
                "CorsRules": [
                    [
                        "AllowedOrigins": ["https://app.example.com"], "AllowedMethods": ["PUT"],
                        "AllowedHeaders": ["*"], "MaxAge": 60,
                    ]
                ]
            ],
        ],
    ]

    private func preflight(_ emulator: EmulatorProcess) throws -> LoopbackClient.Answer {
        let client = try LoopbackClient(port: emulator.awsPort)
        client.send(
            """
            OPTIONS /photos/k HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: https://app.example.com\r\n\
            Access-Control-Request-Method: PUT\r\n\
            Access-Control-Request-Headers: content-type\r\n\r\n
            """)
        return try #require(client.answer())
    }

    @Test func `a browser may use a bucket according to the template's CORS rules`() throws {
        let project = try EmulatorProject(["Photos": Self.bucket])
        let emulator = try project.start()
        let allowed = try preflight(emulator)
        expectEqual(allowed.status, 200)
        #expect(allowed.head.contains("access-control-allow-origin: https://app.example.com"))
        #expect(allowed.head.contains("access-control-allow-headers: content-type"))
        #expect(allowed.head.contains("access-control-max-age: 60"))
    }

    @Test func `a bucket's rules are exported and imported with its state`() throws {
        let from = EmulatorClient(try EmulatorProject(["Photos": Self.bucket]).start())
        let project = try EmulatorProject(["Other": JSONObject.bucket("other")])
        let to = EmulatorClient(try project.start())
        try expectEqual(preflight(to.emulator).status, 403)
        var path = "/_emulator/state"
        while true {
            let page = try from.app(.get, path)
            _ = try to.app(.post, "/_emulator/state", page.text)
            guard let next = page.header("x-latchkey-next") else { break }
            path = "/_emulator/state?cursor=\(next)"
        }
        try expectEqual(preflight(to.emulator).status, 200)
    }

    @Test func `rules that S3 would refuse prevent the start`() throws {
        let rules: JSON = [["AllowedOrigins": ["*"], "AllowedMethods": ["PATCH"]]]
        let project = try EmulatorProject([
            "Photos": [
                "Type": "AWS::S3::Bucket",
                "Properties": ["CorsConfiguration": ["CorsRules": rules]],
            ]
        ])
        let result = try ChildProcess.run(project.command)
        expectEqual(result.end, .exit(1))
        #expect(
            result.errorText.contains(
                "Photos: CorsConfiguration: Found unsupported HTTP method in CORS config."))
    }
}
