import SwiftUI

/// The keyboards and suggestions of iOS.
extension View {
    #if os(iOS)
        func asPassword() -> some View { textContentType(.password) }
        func asCode() -> some View { textContentType(.oneTimeCode).keyboardType(.numberPad) }
        func asRecoveryCode() -> some View {
            keyboardType(.asciiCapable).textInputAutocapitalization(.characters)
        }
    #else
        func asPassword() -> some View { self }
        func asCode() -> some View { self }
        func asRecoveryCode() -> some View { self }
    #endif
}
