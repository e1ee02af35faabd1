package import JSON

/// The response to request options, `AuthenticationResponseJSON` of WebAuthn section 5.1: decoded
/// but not verified.
package struct AssertionResponse: Sendable, Equatable {
    /// RSA with 8192 bits.
    package static let signatureBytesMax = 1024

    package let id: CredentialID
    package let clientDataJSON: [UInt8]
    package let authenticatorData: [UInt8]
    package let signature: [UInt8]
    /// nil if the member is missing, null or empty, because clients differ in that.
    package let userHandle: UserHandle?

    package init(
        id: CredentialID, clientDataJSON: [UInt8], authenticatorData: [UInt8],
        signature: [UInt8], userHandle: UserHandle? = nil
    ) {
        self.id = id
        self.clientDataJSON = clientDataJSON
        self.authenticatorData = authenticatorData
        self.signature = signature
        self.userHandle = userHandle
    }

    package init(parsing json: JSON) throws(ResponseFailure) {
        let members = try ResponseMembers(json)
        id = members.id
        clientDataJSON = try members.bytes(
            "clientDataJSON", .clientDataJSON, countMax: ClientData.bytesMax)
        authenticatorData = try members.bytes(
            "authenticatorData", .authenticatorData, countMax: AuthenticatorData.bytesMax)
        signature = try members.bytes(
            "signature", .signature, countMax: Self.signatureBytesMax)
        guard let handle = members.response["userHandle"], !handle.isNull else {
            userHandle = nil
            return
        }
        userHandle = UserHandle(
            try members.bytes(
                "userHandle", .userHandle, countMax: UserHandle.byteCounts.upperBound))
    }
}
