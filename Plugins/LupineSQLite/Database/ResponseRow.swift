import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSQLiteConnection

/// A row of the table of responses.
struct ResponseRow {
  /// Ascending and never used again; 0 before the row is inserted.
  var id: Int64
  /// Random bits: the name of the content's file, and a part of the response's identifier.
  let nonce: UInt64
  /// The hash of the key.
  let fingerprint: UInt64
  /// The number of bytes that the response occupies.
  let size: Int64
  /// The length of the content in bytes.
  let length: Int64
  /// Whether a file has the content, and not the table of contents.
  let hasFile: Bool
  /// The record and the trailers, encoded.
  let record: [UInt8]
  /// The checksums of the content's blocks.
  let blocks: [UInt8]
}

extension ResponseRow {
  /// The content of the column `record`.
  private struct Record: Codable {
    let record: ResponseRecord
    let trailers: HTTPFields?
  }

  /// Makes a row that is not inserted yet.
  init(
    _ record: ResponseRecord, trailers: HTTPFields?, nonce: UInt64, length: Int64, hasFile: Bool, blocks: [UInt8]
  ) throws(LupineError) {
    do {
      self.record = Array(try JSONEncoder().encode(Record(record: record, trailers: trailers)))
    } catch {
      throw LupineError(.other, "The record of a response cannot be encoded: \(error).", underlying: error)
    }
    id = 0
    self.nonce = nonce
    fingerprint = Fingerprint.of(record.key)
    self.length = length
    self.hasFile = hasFile
    self.blocks = blocks
    size = Self.size(record: self.record.count + blocks.count, content: length, hasFile: hasFile)
  }

  /// Makes the row again with another record.
  func replacing(_ record: ResponseRecord, trailers: HTTPFields?) throws(LupineError) -> ResponseRow {
    var row = try ResponseRow(
      record, trailers: trailers, nonce: nonce, length: length, hasFile: hasFile, blocks: blocks)
    row.id = id
    return row
  }

  /// The stored response; `nil` if the record cannot be decoded.
  var response: StoredResponse? {
    guard let decoded = try? JSONDecoder().decode(Record.self, from: Data(record)),
      Fingerprint.of(decoded.record.key) == fingerprint
    else { return nil }
    return StoredResponse(
      id: ResponseID(row: id, nonce: nonce).text, record: decoded.record, length: length, trailers: decoded.trailers)
  }

  /// The checksum of all columns except the row's number.
  var checksum: UInt64 {
    var bytes: [UInt8] = []
    for value in [nonce, fingerprint, UInt64(bitPattern: size), UInt64(bitPattern: length), hasFile ? 1 : 0] {
      bytes.append(bigEndian: value)
    }
    bytes.append(bigEndian: UInt64(record.count))
    return (bytes + record + blocks).checksum
  }

  /// The number of bytes that a response occupies on the disk: pages of the database, and blocks of the file system.
  private static func size(record: Int, content: Int64, hasFile: Bool) -> Int64 {
    let row = pages(Int64(record) + 96)
    return row + (hasFile ? (content + 4095) / 4096 * 4096 : pages(content + 32))
  }

  /// The part of the database's pages of 4096 bytes that a row of this size needs, with a quarter for the gaps between
  /// rows.
  private static func pages(_ count: Int64) -> Int64 {
    let content: Int64 = 4084
    guard count <= content else { return (count + content - 1) / content * 4096 + 1024 }
    return 4096 / (content / count) + count / 4
  }
}

/// The identifier of a stored response.
struct ResponseID: Hashable {
  let row: Int64
  let nonce: UInt64

  var text: String { "\(row)-\(String(nonce, radix: 16))" }

  init(row: Int64, nonce: UInt64) {
    self.row = row
    self.nonce = nonce
  }

  /// Parses the identifier of a response of any store; `nil` if it is another store's.
  init?(_ text: String) {
    let parts = text.split(separator: "-", maxSplits: 1)
    guard parts.count == 2, let row = Int64(parts[0]), let nonce = UInt64(parts[1], radix: 16) else { return nil }
    self.init(row: row, nonce: nonce)
  }
}
