/// A name that is not found without a question to a name server, which may take long to answer: no
/// label has more than 63 bytes (RFC 1035 section 2.3.4).
package let unknownHost = String(repeating: "n", count: 64) + ".invalid"
