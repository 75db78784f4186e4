public import LupineCore
import LupineFoundation
import LupineSupport

/// A whole cassette with the text of its blocks.
public struct CassetteContents: Sendable {
  /// The header.
  public let header: Cassette.Header
  /// The text of the header.
  public let headerBytes: [UInt8]
  /// The blocks of the exchanges, in the order of the file.
  public let blocks: [CassetteBlock]

  /// The values without their text.
  public var cassette: Cassette {
    Cassette(
      header: header,
      entries: blocks.compactMap { block in
        if case .entry(let entry) = block.content { entry } else { nil }
      })
  }

  /// Reads the bytes of a file.
  ///
  /// - Parameters:
  ///   - path: the name of the file in errors.
  ///   - allowingTruncation: whether a last block that is not complete is left out. Default: `false`.
  /// - Throws: `LupineError` of kind `invalidCassette`.
  public init(
    _ bytes: some Collection<UInt8>, path: String, allowingTruncation: Bool = false
  ) throws(LupineError) {
    var reader = CassetteReader(path: path)
    var blocks = try reader.read(bytes)
    if let last = try reader.finish(allowingTruncation: allowingTruncation) { blocks.append(last) }
    try self.init(blocks, path: path)
  }

  /// Reads a file; it blocks while the disk is read.
  ///
  /// A symbolic link is not followed.
  ///
  /// - Parameter allowingTruncation: whether a last block that is not complete is left out. Default: `false`.
  /// - Throws: `LupineError` of kind `invalidCassette` if the content is damaged; of kind `fileFailed` if the file is
  ///   missing or cannot be read.
  public init(contentsOf path: String, allowingTruncation: Bool = false) throws(LupineError) {
    let file = try CassetteFolder(of: path).open(CassetteFolder.name(of: path), as: .fileFailed)
    var reader = CassetteReader(path: path)
    var blocks: [CassetteBlock] = []
    try file.forEachPiece { (piece) throws(LupineError) in blocks += try reader.read(piece) }
    if let last = try reader.finish(allowingTruncation: allowingTruncation) { blocks.append(last) }
    try self.init(blocks, path: path)
  }

  private init(_ blocks: [CassetteBlock], path: String) throws(LupineError) {
    guard let first = blocks.first, case .header(let header) = first.content else {
      throw .invalidCassette(path, line: blocks.first?.line ?? 1, "the first line does not begin with {\"cassette\":")
    }
    for block in blocks.dropFirst() {
      if case .header = block.content { throw .invalidCassette(path, line: block.line, "a second header follows") }
    }
    self.header = header
    headerBytes = first.bytes
    self.blocks = Array(blocks.dropFirst())
  }
}

extension Cassette {
  /// Reads a cassette's file; it blocks while the disk is read.
  ///
  /// - Throws: `LupineError` of kind `invalidCassette` if the content is damaged; of kind `fileFailed` if the file is
  ///   missing or cannot be read.
  public init(contentsOf path: String) throws(LupineError) {
    self = try CassetteContents(contentsOf: path).cassette
  }
}
