extension RandomRequests {
    /// The kinds of requests to mutate; each has valid examples.
    package enum Kind: String, CaseIterable, Sendable {
        case plain
        /// DynamoDB, AWS JSON 1.0.
        case database
        /// STS, query protocol.
        case tokens
        /// S3, XML.
        case objects
        /// Lambda's Invoke, JSON.
        case functions
        /// SES v2, JSON.
        case mail
    }
}

extension RandomRequests.Kind {
    func good(_ choice: inout RandomChoice) -> WireRequest {
        let made: WireRequest =
            switch self {
            case .plain: Self.plain(&choice)
            case .database: Self.database(&choice)
            case .tokens: Self.tokens(&choice)
            case .objects: Self.objects(&choice)
            case .functions: Self.functions(&choice)
            case .mail: Self.mail(&choice)
            }
        var request = made
        request.headers.insert(("Host", "127.0.0.1"), at: 0)
        return request
    }

    private static func plain(_ choice: inout RandomChoice) -> WireRequest {
        let path = choice.one(of: ["/", "/a/b%20c", "/a?b=c&d=%26&e", "/_emulator/health", "/*"])
        let body = choice.one(of: ["", "abc", #"{"a":[1,2,{"b":null}]}"#, "a=b&c=d%20e+f"])
        let type = choice.one(of: ["application/json", "text/plain; charset=utf-8", "*/*"])
        return WireRequest(
            choice.one(of: ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"]), path,
            [("Content-Type", type), ("Accept", "*/*"), ("Cookie", "a=1; b=2")], body: body)
    }

    private static func database(_ choice: inout RandomChoice) -> WireRequest {
        let item = #"{"id":{"S":"a"},"n":{"N":"1.5e3"},"l":{"L":[{"BOOL":true},{"NULL":true}]}}"#
        let key = #"{"id":{"S":"a"}}"#
        let names = ##""ExpressionAttributeNames":{"#n":"n"}"##
        let values = #""ExpressionAttributeValues":{":v":{"N":"1"},":s":{"SS":["a","b"]}}"#
        let calls: [(String, String)] = [
            ("PutItem", #"{"TableName":"t","Item":\#(item),"ReturnValues":"ALL_OLD"}"#),
            ("GetItem", #"{"TableName":"t","Key":\#(key),"ConsistentRead":true}"#),
            (
                "UpdateItem",
                ##"{"TableName":"t","Key":\##(key),"UpdateExpression":"##
                    + ##""SET #n = if_not_exists(#n, :v) + :v ADD s :s","##
                    + ##""ConditionExpression":"attribute_exists(id) AND NOT #n IN (:v)","##
                    + "\(names),\(values)}"
            ),
            (
                "Query",
                ##"{"TableName":"t","KeyConditionExpression":"id = :v","Limit":3,"##
                    + ##""FilterExpression":"begins_with(#n, :v) OR size(#n) < :v",\##(names),"##
                    + "\(values)}"
            ),
            ("Scan", #"{"TableName":"t","Limit":1,"ExclusiveStartKey":\#(key)}"#),
            (
                "TransactWriteItems",
                #"{"TransactItems":[{"Put":{"TableName":"t","Item":\#(item)}},"#
                    + #"{"Delete":{"TableName":"t","Key":\#(key)}}],"ClientRequestToken":"x"}"#
            ),
            (
                "CreateTable",
                #"{"TableName":"t","KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],"#
                    + #""AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],"#
                    + #""BillingMode":"PAY_PER_REQUEST"}"#
            ),
            ("ListTables", "{}"), ("DescribeTable", #"{"TableName":"t"}"#),
        ]
        let (operation, body) = choice.one(of: calls)
        return WireRequest(
            "POST", "/",
            [
                ("Content-Type", "application/x-amz-json-1.0"),
                ("X-Amz-Target", "DynamoDB_20120810.\(operation)"),
                authorization("dynamodb"), ("X-Amz-Date", "20260101T000000Z"),
            ], body: body)
    }

    private static func tokens(_ choice: inout RandomChoice) -> WireRequest {
        let role = "RoleArn=arn%3Aaws%3Aiam%3A%3A123456789012%3Arole%2Fr&RoleSessionName=s"
        let forms = [
            "Action=GetCallerIdentity&Version=2011-06-15",
            "Action=AssumeRole&Version=2011-06-15&\(role)&DurationSeconds=900"
                + "&Tags.member.1.Key=a&Tags.member.1.Value=b&Policy=%7B%7D",
            "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&\(role)"
                + "&WebIdentityToken=eyJhbGciOiJSUzI1NiJ9.eyJhIjoxfQ.AAAA",
            "Action=GetSessionToken&Version=2011-06-15&DurationSeconds=3600",
        ]
        return WireRequest(
            "POST", "/",
            [
                ("Content-Type", "application/x-www-form-urlencoded; charset=utf-8"),
                authorization("sts"), ("X-Amz-Date", "20260101T000000Z"),
            ], body: choice.one(of: forms))
    }

    private static func objects(_ choice: inout RandomChoice) -> WireRequest {
        let delete = "<Delete><Object><Key>a</Key></Object><Quiet>true</Quiet></Delete>"
        let complete =
            "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>\"a\"</ETag></Part>"
            + "</CompleteMultipartUpload>"
        let calls: [(String, String, String)] = [
            ("POST", "/b?delete", delete), ("POST", "/b/k?uploadId=u", complete),
            ("PUT", "/b/k", "content"), ("GET", "/b/k?versionId=1", ""),
            ("GET", "/b?list-type=2&prefix=a%2F&delimiter=%2F&max-keys=2", ""),
            ("PUT", "/b", "<CreateBucketConfiguration/>"), ("HEAD", "/b/k", ""),
            ("POST", "/b/k?uploads", ""), ("PUT", "/b/k?partNumber=1&uploadId=u", "part"),
            ("DELETE", "/b/k", ""), ("GET", "/b/k?X-Amz-Signature=0&X-Amz-Expires=60", ""),
        ]
        let (method, target, body) = choice.one(of: calls)
        return WireRequest(
            method, target,
            [
                ("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD"), ("Range", "bytes=0-1"),
                ("X-Amz-Date", "20260101T000000Z"), authorization("s3"),
            ], body: body)
    }

    private static func functions(_ choice: inout RandomChoice) -> WireRequest {
        let name = choice.one(of: ["f", "f:1", "arn:aws:lambda:us-east-1:123456789012:function:f"])
        return WireRequest(
            "POST", "/2015-03-31/functions/\(name)/invocations?Qualifier=$LATEST",
            [
                ("X-Amz-Invocation-Type", choice.one(of: ["RequestResponse", "Event", "DryRun"])),
                ("X-Amz-Log-Type", "Tail"), authorization("lambda"),
                ("X-Amz-Client-Context", "e30="),
            ], body: choice.one(of: [#"{"a":1}"#, "[]", "null", "\"text\"", "", "1e400"]))
    }

    private static func mail(_ choice: inout RandomChoice) -> WireRequest {
        let simple =
            #"{"Simple":{"Subject":{"Data":"s"},"Body":{"Text":{"Data":"t","Charset":"UTF-8"}}}}"#
        let content = choice.one(of: [simple, #"{"Raw":{"Data":"RnJvbTogYQ0KDQpi"}}"#])
        return WireRequest(
            "POST", "/v2/email/outbound-emails",
            [("Content-Type", "application/json"), authorization("ses")],
            body: #"{"FromEmailAddress":"a@example.com","Destination":{"ToAddresses":"#
                + #"["b@example.com"],"CcAddresses":[]},"Content":\#(content)}"#)
    }

    private static func authorization(_ service: String) -> (name: String, value: String) {
        (
            "Authorization",
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260101/us-east-1/\(service)/aws4_request,"
                + " SignedHeaders=host;x-amz-date, Signature=\(String(repeating: "0", count: 64))"
        )
    }
}
