import JSON
import TestSupport
import Testing

import EmulatorDebugging

/// Accepted and rejected definitions of faults and gates.
@Suite("Faults and gates as JSON")
struct FaultReaderTests {
    private let reader = FaultReader(
        FaultNames(
            own: [.init(.provider, "expired", "Expired.")],
            operations: [.dynamodb: ["BatchGetItem", "PutItem"], .provider: ["token"]]
        ) { field in field == .function ? ["RefreshFunction"] : nil })

    private func problem(_ text: String, gate: Bool = false) throws -> String? {
        let json = try JSON.parse(Array(text.utf8), limits: .request)
        do throws(FaultProblem) {
            if gate { _ = try reader.gate(json) } else { _ = try reader.rule(json) }
            return nil
        } catch {
            return error.description
        }
    }

    @Test(arguments: [
        #"{"match":{"service":"dynamodb","operation":"Put*","table":"t"},"effect":"throttle"}"#,
        #"{"match":{"service":"s3"},"effect":"error","error":"SlowDown","milliseconds":5}"#,
        #"{"match":{"service":"route","method":"POST","path":"/a/*"},"effect":"lose","count":1}"#,
        #"{"match":{"service":"sts"},"effect":"lose","answer":"InternalFailure"}"#,
        #"{"match":{"service":"provider","provider":"x"},"effect":"error","error":"expired"}"#,
        #"{"match":{"service":"function"},"effect":"hang","probability":0.5,"seed":3,"skip":2}"#,
    ])
    func `faults are accepted`(text: String) throws {
        try expectEqual(problem(text), nil)
    }

    @Test(arguments: [
        ("[]", "a fault must be a JSON object"),
        ("{}", "a fault needs match, an object with a service: route, function, dynamodb"),
        (#"{"match":{"service":"sqs"}}"#, "match: unknown service; services: route, function"),
        (
            #"{"match":{"service":"sts","table":"t"},"effect":"reset"}"#,
            "match: unknown member 'table' for sts; expected operation, contains"
        ),
        (
            #"{"match":{"service":"dynamodb","operation":"PutItems"},"effect":"reset"}"#,
            "match: unknown operation 'PutItems' for dynamodb; expected BatchGetItem"
        ),
        (
            #"{"match":{"service":"function","function":"x"},"effect":"throttle"}"#,
            "match: unknown function 'x' for function; expected RefreshFunction"
        ),
        (
            #"{"match":{"service":"s3"},"effect":"explode"}"#,
            "unknown or missing effect for s3; expected error, delay, hang, reset, throttle, lose"
        ),
        (
            #"{"match":{"service":"function"},"effect":"reset"}"#,
            "unknown or missing effect for function; expected error, delay, hang, throttle, lose"
        ),
        (
            #"{"match":{"service":"s3"},"effect":"error","error":"NoSuchThing"}"#,
            "unknown or missing error for s3; expected SlowDown, InternalError"
        ),
        (
            #"{"match":{"service":"s3"},"effect":"lose","answer":"x"}"#,
            "unknown or missing answer for s3; expected reset, hang, SlowDown"
        ),
        (
            #"{"match":{"service":"s3"},"effect":"reset","error":"SlowDown"}"#,
            "error has no meaning with the effect reset"
        ),
        (
            #"{"match":{"service":"s3"},"effect":"reset","milliseconds":1}"#,
            "milliseconds has no meaning with the effect reset"
        ),
        (
            #"{"match":{"service":"s3"},"effect":"delay","milliseconds":600001}"#,
            "milliseconds must be a whole number from 1 to 600000"
        ),
        (
            #"{"match":{"service":"s3"},"effect":"reset","count":0}"#,
            "count must be a whole number from 1 to 1000000"
        ),
        (
            #"{"match":{"service":"s3"},"effect":"reset","probability":1.5}"#,
            "probability must be a number over 0, at most 1"
        ),
        (
            #"{"match":{"service":"s3"},"effect":"reset","seed":1}"#,
            "seed has no meaning without probability"
        ),
        (
            #"{"match":{"service":"s3"},"effect":"reset","times":1}"#,
            "unknown member 'times' of a fault; expected match, effect, error"
        ),
        (
            #"{"match":{"service":"provider","operation":"token"},"effect":"error","#
                + #""error":"expired"}"#,
            "operation has no meaning with this error"
        ),
    ])
    func `the error for an invalid fault lists the known names`(text: String, words: String) throws
    {
        let problem = try #require(try problem(text))
        #expect(problem.hasPrefix(words), "\(problem)")
    }

    @Test(arguments: [
        (#"{"match":{"service":"s3"}}"#, "a gate needs arrivals"),
        (#"{"match":{"service":"s3"},"arrivals":65}"#, "arrivals must be a whole number from 1"),
        (
            #"{"match":{"service":"s3"},"arrivals":2,"order":[1,3]}"#,
            "order must be arrival, reverse, or a list of numbers from 1 to 2"
        ),
        (#"{"match":{"service":"s3"},"arrivals":2,"order":"random"}"#, "order must be arrival"),
        (#"{"match":{"service":"s3"},"arrivals":2,"release":"x"}"#, "release must be one-by-one"),
        (
            #"{"match":{"service":"s3"},"arrivals":2,"timeoutMilliseconds":0}"#,
            "timeoutMilliseconds must be a whole number from 1 to 600000"
        ),
    ])
    func `the error for an invalid gate lists the known names`(text: String, words: String) throws {
        let problem = try #require(try problem(text, gate: true))
        #expect(problem.hasPrefix(words), "\(problem)")
    }

    @Test(arguments: FaultService.allCases)
    func `every service has errors without duplicates`(service: FaultService) {
        let names = FaultErrors.all(service).map(\.name)
        #expect(!names.isEmpty && Set(names).count == names.count)
        #expect(!service.effects.isEmpty && service.fields.contains(.contains))
    }
}
