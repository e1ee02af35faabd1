extension DynamoDBService {
    /// Removes an item; one that is not there is removed too.
    func deleteItem(_ reader: RequestReader) throws(DynamoDBError) -> [UInt8] {
        try writeItem(.delete, reader)
    }
}
