import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSession
import LupineTransfers

/// The description of a transfer as the database has it.
struct TransferRecord: Sendable, Hashable, Codable {
  enum Content: Sendable, Hashable, Codable {
    case download(QueuedTransfer.Destination, ExpectedDigest?, sizeLimit: Int64?)
    /// The path of a file that the program keeps.
    case file(String)
    /// The name of a file in the queue's folder.
    case form(String)
  }

  var method: String
  var url: String
  /// The names and values of the fields, in order.
  var headers: [[String]]
  var content: Content
  var credential: String?
  var profile: String?
  var group: String?
  var asksForURL: Bool
  /// Random digits, for the names of the transfer's files.
  var token: String

  /// The URL; `nil` if it is damaged.
  var target: HTTPURL? { try? HTTPURL(url) }

  /// The host and port whose limit the transfer takes from.
  var host: String { target.map { "\($0.origin)" } ?? "" }

  /// The name of the file in the queue's folder.
  var formName: String? { if case .form(let name) = content { name } else { nil } }

  var isUpload: Bool { if case .download = content { false } else { true } }

  /// The request without its body; `nil` if the record is damaged.
  var request: OutgoingRequest? {
    guard let target, let method = HTTPRequest.Method(method) else { return nil }
    var fields = HTTPFields()
    for field in headers where field.count == 2 {
      guard let name = HTTPField.Name(field[0]) else { return nil }
      fields.append(HTTPField(name: name, value: field[1]))
    }
    return OutgoingRequest(url: target, method: method, headers: fields)
  }

  /// The path of a complete download before it is moved to its destination.
  ///
  /// It is in the folder of the destination, so that the move is a rename.
  func stagedPath(_ destination: QueuedTransfer.Destination, _ id: TransferID) -> String {
    var (folder, name) = ("", destination.path[...])
    if let slash = destination.path.utf8.lastIndex(of: UInt8(ascii: "/")) {
      let start = destination.path.utf8.index(after: slash)
      folder = String(destination.path[..<start])
      name = destination.path[start...]
    }
    // Shorter than the limit of file systems, 255 bytes, also with what a partial file appends.
    var short = ""
    for character in name where short.utf8.count + character.utf8.count <= 120 { short.append(character) }
    return "\(folder).\(short).\(token)-\(id)"
  }
}

/// A row of the table of transfers.
struct TransferRow: Sendable {
  var id = TransferID(0)
  var state = TransferState.waiting
  var isRemoved = false
  var priority = TransferPriority.normal
  var place: Int64 = 0
  /// Milliseconds since 1970; 0 means none.
  var deadline: Int64 = 0
  var record: TransferRecord
  var data: Data
  /// The identity of a complete download that is not at its destination yet; empty means none.
  var staged: [UInt8] = []

  var item: QueueMachine.Item {
    QueueMachine.Item(
      id: id, host: record.host, priority: priority, place: place, deadline: deadline == 0 ? nil : deadline,
      credential: record.credential, group: record.group, state: state, isRemoved: isRemoved,
      hasFiles: record.formName != nil)
  }

  func snapshot(_ progress: TransferProgress?) -> TransferSnapshot {
    let path: String? =
      switch record.content {
      case .download(let destination, _, _): destination.path
      case .file(let path): path
      case .form: nil
      }
    return TransferSnapshot(
      id: id, url: String(record.url.prefix { $0 != "?" && $0 != "#" }), isUpload: record.isUpload, path: path,
      state: state, priority: priority,
      deadline: deadline == 0 ? nil : Date(timeIntervalSince1970: Double(deadline) / 1000),
      credential: record.credential, profile: record.profile, group: record.group, data: data,
      completed: progress?.completed ?? 0, total: progress?.total)
  }
}

extension TransferRecord {
  /// The record in JSON.
  var encoded: [UInt8]? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(self)).map { [UInt8]($0) }
  }

  init?(encoded bytes: [UInt8]) {
    guard let record = try? JSONDecoder().decode(TransferRecord.self, from: Data(bytes)) else { return nil }
    self = record
  }
}
