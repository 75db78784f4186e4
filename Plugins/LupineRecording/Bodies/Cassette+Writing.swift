public import LupineCore
import LupineFoundation

extension Cassette {
  /// Writes the cassette to a file, and its long bodies to files beside it; it blocks while the disk works.
  ///
  /// A text of more than 64 KiB, and other bytes from 1 KiB on, go to a file that is named by its digest. The cassette
  /// replaces an existing file atomically, after its bodies have been written. A link at the path is replaced, not
  /// followed.
  ///
  /// - Throws: `LupineError` of kind `fileFailed`.
  public func write(to path: String) throws(LupineError) {
    let store = try BodyStore(cassette: path)
    var written = self
    for index in written.entries.indices {
      written.entries[index].request.body = try store.content(written.entries[index].request.body)
      if let body = written.entries[index].response?.body {
        written.entries[index].response?.body = try store.content(body)
      }
    }
    let file = try store.begin()
    try file.append(Data(CassetteWriter.text(of: written)))
    try store.keep(file, as: CassetteFolder.name(of: path))
  }
}

extension BodyStore {
  /// Returns a content, and writes it to a file if it is long.
  fileprivate func content(_ content: Cassette.Content) throws(LupineError) -> Cassette.Content {
    guard case .inline(let data) = content else { return content }
    return try self.content(data)
  }
}
