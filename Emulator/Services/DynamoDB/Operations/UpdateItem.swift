extension DynamoDBService {
    /// Changes parts of an item, or makes it.
    func updateItem(_ reader: RequestReader) throws(Refusal) -> [UInt8] {
        try writeItem(.update, reader)
    }
}
