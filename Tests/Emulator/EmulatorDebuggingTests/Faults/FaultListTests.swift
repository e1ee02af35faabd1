import JSON
import TestSupport
import Testing

import EmulatorDebugging

/// The requests that a fault affects.
@Suite("The list of faults")
struct FaultListTests {
    private let list = FaultList()
    private let put = FaultSubject(
        .dynamodb, operation: "PutItem",
        body: Array(#"{"TableName":"items","Item":{"pk":{"S":"USER#1"}}}"#.utf8))

    private func hits(_ count: Int, of subject: FaultSubject) -> [Bool] {
        (0..<count).map { _ in list.decide(subject).end != nil }
    }

    @Test func `an empty list and one with only used-up faults are inactive`() {
        #expect(!list.isOn)
        list.add(FaultRule(FaultMatch(.dynamodb), .reset, count: 1))
        #expect(list.isOn)
        expectEqual(hits(3, of: put), [true, false, false])
        #expect(!list.isOn)
        #expect(list.all.map(\.hits) == [1] && list.all.map(\.left) == [0])
    }

    @Test func `a fault first skips requests, then counts hits`() {
        list.add(FaultRule(FaultMatch(.dynamodb), .reset, count: 2, skip: 1))
        expectEqual(hits(5, of: put), [false, true, true, false, false])
    }

    @Test func `the same seed affects the same requests`() {
        func run(_ seed: UInt64) -> [Bool] {
            let list = FaultList()
            list.add(FaultRule(FaultMatch(.dynamodb), .reset, probability: 0.3, seed: seed))
            return (0..<1000).map { _ in list.decide(put).end != nil }
        }
        expectEqual(run(7), run(7))
        #expect(run(7) != run(8))
        #expect((200..<400).contains(run(7).count { $0 }))
    }

    @Test(arguments: [
        (FaultField.operation, "PutItem", true), (.operation, "Put*", true),
        (.operation, "GetItem", false), (.operation, "GetItem|PutItem", true),
        (.table, "items", true), (.table, "item", false), (.table, "*t*m*", true),
        (.contains, "USER#1", true), (.contains, "USER#2", false),
    ])
    func `only matching requests are affected`(field: FaultField, pattern: String, matches: Bool) {
        list.add(FaultRule(FaultMatch(.dynamodb, [(field, pattern)]), .reset))
        expectEqual(hits(1, of: put), [matches])
        for service in FaultService.allCases where service != .dynamodb {
            var other = FaultSubject(service, operation: "PutItem", name: "items")
            other.body = put.body
            expectEqual(hits(1, of: other), [false])
        }
    }

    @Test func `tables of batches, transactions and ARNs are matched`() {
        list.add(FaultRule(FaultMatch(.dynamodb, [(.table, "items")]), .reset))
        let bodies = [
            #"{"RequestItems":{"others":[],"items":[]}}"#,
            #"{"TransactItems":[{"Put":{"TableName":"items"}}]}"#,
            #"{"TableName":"arn:aws:dynamodb:us-east-1:123456789012:table/items"}"#,
        ]
        for body in bodies {
            expectEqual(hits(1, of: FaultSubject(.dynamodb, body: Array(body.utf8))), [true])
        }
        let other = #"{"TransactItems":[{"Put":{"TableName":"others"}}]}"#
        expectEqual(hits(1, of: FaultSubject(.dynamodb, body: Array(other.utf8))), [false])
    }

    @Test func `delays add up, and the first other effect ends a request`() {
        for (effect, milliseconds) in [(FaultEffect.delay, 20), (.delay, 30), (.reset, nil)] {
            list.add(FaultRule(FaultMatch(.dynamodb), effect, milliseconds: milliseconds))
        }
        list.add(FaultRule(FaultMatch(.dynamodb), .hang))
        let decision = list.decide(put)
        #expect(decision.delay == 50 && decision.end?.effect == .reset)
        expectEqual(list.all.map(\.hits), [1, 1, 1, 0])
    }

    @Test func `the list is limited, and used-up faults are removed for new ones`() {
        list.add(FaultRule(FaultMatch(.dynamodb), .reset, count: 1))
        for _ in 1..<FaultLimits.faultsMax {
            #expect(list.add(FaultRule(FaultMatch(.s3), .reset)) != nil)
        }
        expectEqual(list.add(FaultRule(FaultMatch(.s3), .reset)), nil)
        _ = list.decide(put)
        #expect(list.add(FaultRule(FaultMatch(.s3), .reset)) != nil)
        expectEqual(list.all.count, FaultLimits.faultsMax)
        expectEqual(list.remove { _ in true }.count, FaultLimits.faultsMax)
        #expect(!list.isOn)
    }

    @Test func `errors that a service applies itself are not applied to its requests`() {
        list.add(
            FaultRule(FaultMatch(.provider, [(.provider, "google")]), .error("expired"), count: 1))
        #expect(list.decide(FaultSubject(.provider, name: "google")).end == nil)
        #expect(list.take("expired", .provider, of: "apple") == nil)
        #expect(list.take("expired", .provider, of: "google") != nil)
        #expect(list.take("expired", .provider, of: "google") == nil)
    }
}
