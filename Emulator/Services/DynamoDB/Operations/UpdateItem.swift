extension DynamoDBService {
    /// Changes parts of an item, or makes it.
    func updateItem(_ reader: RequestReader) throws(DynamoDBError) -> [UInt8] {
        try writeItem(.update, reader)
    }
}
