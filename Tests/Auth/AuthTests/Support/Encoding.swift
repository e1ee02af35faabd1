import Bytes

func base64URL(_ bytes: [UInt8]) -> String { Base64URL.encode(bytes) }
