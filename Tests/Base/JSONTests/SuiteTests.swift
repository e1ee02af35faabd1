import BaseTestSupport

private let roomy = JSONLimits(bytesMax: 1 << 20, depthMax: 64)

/// The results that differ from the suite or that it leaves open, with the reason.
private enum Policy {
    case accepted(JSON)
    case refused(JSONFailure)

    /// "y" in the suite, refused here: duplicate names are ambiguous.
    static let strictWhereTheSuiteIsNot: [String: JSONFailure] = [
        "parsing/y_object_duplicated_key": .duplicateName(offset: 9),
        "parsing/y_object_duplicated_key_and_value": .duplicateName(offset: 9),
    ]

    /// The "i" cases. Numbers of any size are kept as text; invalid strings are refused.
    static let implementationDefined: [String: Policy] = [
        "i_number_double_huge_neg_exp": number("123.456e-789"),
        "i_number_huge_exp": number(
            "0.4e00669999999999999999999999999999999999999999999999999999999999999999999"
                + "999999999999999999999999999999999999999999999999969999999006"),
        "i_number_neg_int_huge_exp": number("-1e+9999"),
        "i_number_pos_double_huge_exp": number("1.5e+9999"),
        "i_number_real_neg_overflow": number("-123123e100000"),
        "i_number_real_pos_overflow": number("123123e100000"),
        "i_number_real_underflow": number("123e-10000000"),
        "i_number_too_big_neg_int": number("-123123123123123123123123123123"),
        "i_number_too_big_pos_int": number("100000000000000000000"),
        "i_number_very_big_negative_int": number(
            "-237462374673276894279832749832423479823246327846"),
        "i_object_key_lone_2nd_surrogate": .refused(.loneSurrogate(offset: 2)),
        "i_string_1st_surrogate_but_2nd_missing": .refused(.loneSurrogate(offset: 2)),
        "i_string_1st_valid_surrogate_2nd_invalid": .refused(.loneSurrogate(offset: 2)),
        "i_string_incomplete_surrogate_and_escape_valid": .refused(.loneSurrogate(offset: 2)),
        "i_string_incomplete_surrogate_pair": .refused(.loneSurrogate(offset: 2)),
        "i_string_incomplete_surrogates_escape_valid": .refused(.loneSurrogate(offset: 2)),
        "i_string_invalid_lonely_surrogate": .refused(.loneSurrogate(offset: 2)),
        "i_string_invalid_surrogate": .refused(.loneSurrogate(offset: 2)),
        "i_string_inverted_surrogates_U+1D11E": .refused(.loneSurrogate(offset: 2)),
        "i_string_lone_second_surrogate": .refused(.loneSurrogate(offset: 2)),
        "i_string_UTF-8_invalid_sequence": .refused(.notUTF8(offset: 2)),
        "i_string_UTF8_surrogate_U+D800": .refused(.notUTF8(offset: 2)),
        "i_string_invalid_utf-8": .refused(.notUTF8(offset: 2)),
        "i_string_iso_latin_1": .refused(.notUTF8(offset: 2)),
        "i_string_lone_utf8_continuation_byte": .refused(.notUTF8(offset: 2)),
        "i_string_not_in_unicode_range": .refused(.notUTF8(offset: 2)),
        "i_string_overlong_sequence_2_bytes": .refused(.notUTF8(offset: 2)),
        "i_string_overlong_sequence_6_bytes": .refused(.notUTF8(offset: 2)),
        "i_string_overlong_sequence_6_bytes_null": .refused(.notUTF8(offset: 2)),
        "i_string_truncated-utf-8": .refused(.notUTF8(offset: 2)),
        // Neither UTF-16 nor a byte order mark: RFC 8259 section 8.1.
        "i_string_UTF-16LE_with_BOM": .refused(.syntax(offset: 0)),
        "i_string_utf16BE_no_BOM": .refused(.syntax(offset: 0)),
        "i_string_utf16LE_no_BOM": .refused(.syntax(offset: 1)),
        "i_structure_UTF-8_BOM_empty_object": .refused(.syntax(offset: 0)),
        "i_structure_500_nested_arrays": .refused(.tooDeep(offset: 64)),
    ]

    /// Values that some parsers are known to change are unchanged.
    static let transforms: [String: Policy] = [
        "number_-9223372036854775808": .accepted([.number(Int64.min)]),
        "number_-9223372036854775809": number("-9223372036854775809"), "number_1.0": number("1.0"),
        "number_1.000000000000000005": number("1.000000000000000005"),
        "number_1000000000000000": .accepted([1_000_000_000_000_000]),
        "number_10000000000000000999": number("10000000000000000999"),
        "number_1e-999": number("1E-999"), "number_1e6": number("1E6"),
        "number_9223372036854775807": .accepted([.number(Int64.max)]),
        "number_9223372036854775808": number("9223372036854775808"),
        // Canonically equivalent names with different bytes are different names.
        "object_key_nfc_nfd": .accepted(["\u{E9}": "NFC", "e\u{301}": "NFD"]),
        "object_key_nfd_nfc": .accepted(["e\u{301}": "NFD", "\u{E9}": "NFC"]),
        "object_same_key_different_values": .refused(.duplicateName(offset: 7)),
        "object_same_key_same_value": .refused(.duplicateName(offset: 7)),
        "object_same_key_unclear_values": .refused(.duplicateName(offset: 8)),
        "string_1_escaped_invalid_codepoint": .refused(.loneSurrogate(offset: 2)),
        "string_1_invalid_codepoint": .refused(.notUTF8(offset: 2)),
        "string_2_escaped_invalid_codepoints": .refused(.loneSurrogate(offset: 2)),
        "string_2_invalid_codepoints": .refused(.notUTF8(offset: 2)),
        "string_3_escaped_invalid_codepoints": .refused(.loneSurrogate(offset: 2)),
        "string_3_invalid_codepoints": .refused(.notUTF8(offset: 2)),
        // U+0000 is data. Code that cannot handle it must refuse it itself.
        "string_with_escaped_NULL": .accepted(["A\u{0}B"]),
    ]

    private static func number(_ literal: String) -> Policy {
        guard let number = JSONNumber(literal: literal) else { return .accepted(.null) }
        return .accepted([.number(number)])
    }
}

@Suite("nst/JSONTestSuite") struct SuiteTests {
    @Test func `the suite is complete`() {
        expectEqual(SuiteCase.all.count, 340)
        expectEqual(SuiteCase.cases(.accept).count, 95)
        expectEqual(SuiteCase.cases(.reject).count, 188)
        expectEqual(SuiteCase.cases(.implementationDefined).count, 35)
        expectEqual(SuiteCase.cases(.transform).count, 22)
    }

    @Test(arguments: SuiteCase.cases(.accept))
    func `every valid case is accepted and survives being written`(suiteCase: SuiteCase) throws {
        if let failure = Policy.strictWhereTheSuiteIsNot[suiteCase.name] {
            #expect(throws: failure) { try JSON.parse(suiteCase.bytes, limits: roomy) }
        } else {
            let value = try JSON.parse(suiteCase.bytes, limits: roomy)
            try expectEqual(JSON.parse(value.serialized, limits: roomy), value)
        }
    }

    @Test(arguments: SuiteCase.cases(.reject))
    func `every invalid case is refused`(suiteCase: SuiteCase) {
        #expect(throws: JSONFailure.self) { try JSON.parse(suiteCase.bytes, limits: roomy) }
    }

    @Test(arguments: SuiteCase.cases(.implementationDefined))
    func `every implementation-defined case has the expected result`(suiteCase: SuiteCase) throws {
        let name = String(suiteCase.name.dropFirst("parsing/".count))
        try check(suiteCase, against: Policy.implementationDefined[name])
    }

    @Test(arguments: SuiteCase.cases(.transform))
    func `values are transformed only as the policy says`(suiteCase: SuiteCase) throws {
        let name = String(suiteCase.name.dropFirst("transform/".count))
        try check(suiteCase, against: Policy.transforms[name])
    }

    private func check(_ suiteCase: SuiteCase, against policy: Policy?) throws {
        switch try #require(policy) {
        case .accepted(let expected):
            let value = try JSON.parse(suiteCase.bytes, limits: roomy)
            expectEqual(value, expected)
            try expectEqual(JSON.parse(value.serialized, limits: roomy), value)
        case .refused(let failure):
            #expect(throws: failure) { try JSON.parse(suiteCase.bytes, limits: roomy) }
        }
    }
}
