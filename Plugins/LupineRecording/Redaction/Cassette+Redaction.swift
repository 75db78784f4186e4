public import LupineCore

extension Cassette {
  /// Returns the cassette with placeholders in the place of secrets, such as one that was read from an archive of another
  /// program; its bodies are in memory.
  ///
  /// - Parameter redaction: the rules. Default: those that hold for every recording.
  /// - Throws: kind `secretInRecording` if a secret remains, with its place; kind `invalidCassette` if a body is in a file
  ///   beside the cassette, which cannot be read here.
  public func redacted(_ redaction: Redaction = Redaction()) throws(LupineError) -> Cassette {
    let redactor = Redactor(redaction)
    var cassette = self
    for index in cassette.entries.indices {
      cassette.entries[index] = try redactor.redacted(cassette.entries[index]) { (file, _) throws(LupineError) in
        throw LupineError(.invalidCassette, "The body in the file \(file.name) cannot be read.")
      }
    }
    return cassette
  }
}
