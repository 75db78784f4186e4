import FoundationEssentials
import Glibc
import LupineTesting
import PeerSupport
import Synchronization

/// A number of bytes of an upload at which a server waits for a test, and then ends the append.
struct UploadHold: Sendable {
  let point: Int
  /// Opened by the server when it has this number of bytes.
  let reached = Gate()
  /// Opened by the test.
  let released = Gate()

  init(at point: Int) { self.point = point }

  /// Tells the test that the point is reached, and waits for it.
  func block() {
    reached.open()
    try? released.blockUntilOpen()
  }
}

/// A server that waits for a test at one point of an upload.
protocol HoldingPeer: CuttingPeer {
  func hold(_ hold: UploadHold)
}

/// Receives one upload over HTTP/1.1 as version 8 of the draft says, and at a point waits for a test, then ends the append.
///
/// As the draft requires, a request for the offset ends an append that still runs.
final class HoldingServer: HoldingPeer {
  private struct State {
    var data = Data()
    var count = 0
    var isComplete = false
    /// The number of the connection whose append runs.
    var owner = 0
    var hold: UploadHold?
    /// The numbers of bytes after which the server resets the connection, from the first one.
    var cuts: [Int]
    var faults: [String] = []
    var isCreated = false
  }

  /// Opened by the test when the client has kept the location; only then does the server read content.
  let located = Gate()
  private let listener: LoopbackListener
  private let length: Int
  private let keepsData: Bool
  private let state: Mutex<State>

  /// - Parameters:
  ///   - cuts: the numbers of bytes of the whole upload at which the server closes the connection.
  ///   - keepsData: whether the server keeps the bytes, and does not only count them.
  init(length: Int, cuts: [Int] = [], keepsData: Bool = true) throws {
    self.length = length
    self.keepsData = keepsData
    state = Mutex(State(cuts: cuts))
    listener = try LoopbackListener()
    listener.start { [self] descriptor in serve(HeldConnection(descriptor)) }
  }

  var url: String { "http://127.0.0.1:\(listener.port)/files" }
  var received: Data { state.withLock { $0.data } }
  var offset: Int { state.withLock { $0.count } }
  var faults: [String] { state.withLock { $0.faults } }

  func hold(_ hold: UploadHold) { state.withLock { $0.hold = hold } }
  func stop() { listener.stop() }

  private func serve(_ connection: HeldConnection) {
    while let head = connection.head() {
      switch head.method {
      case "POST":
        let isEmpty = head.fields["upload-complete"] == "?0"
        state.withLock { state in
          if state.isCreated { state.faults.append("The upload is created again.") }
          state.isCreated = true
          state.count = 0
          state.data = Data()
        }
        if isEmpty {
          guard connection.write("HTTP/1.1 201 Created\r\nLocation: /uploads/1\r\nContent-Length: 0\r\n\r\n") else {
            return
          }
        } else {
          let place = "HTTP/1.1 104 Resumable\r\nUpload-Draft-Interop-Version: 8\r\nLocation: /uploads/1\r\n\r\n"
          guard connection.write(place) else { return }
          try? located.blockUntilOpen()
          guard receive(head, at: 0, from: connection) else { return }
        }
      case "HEAD":
        let (count, isComplete) = state.withLock { state in
          state.owner += 1
          return (state.count, state.isComplete)
        }
        let fields = "Upload-Offset: \(count)\r\nUpload-Complete: ?\(isComplete ? 1 : 0)\r\nUpload-Length: \(length)"
        guard connection.write("HTTP/1.1 204 No Content\r\n\(fields)\r\n\r\n") else { return }
      case "PATCH":
        let offset = head.fields["upload-offset"].flatMap { Int($0) } ?? -1
        guard receive(head, at: offset, from: connection) else { return }
      default:
        guard connection.write("HTTP/1.1 204 No Content\r\n\r\n") else { return }
      }
    }
  }

  /// Receives the content of a request, and answers it; returns false if the connection ends.
  private func receive(_ head: HeldConnection.Head, at offset: Int, from connection: HeldConnection) -> Bool {
    let size = head.fields["content-length"].flatMap { Int($0) } ?? 0
    let owner = state.withLock { state in
      if offset != state.count || offset + size != length || state.isComplete {
        state.faults.append("\(head.method) at \(offset) of \(size) bytes, and the server has \(state.count)")
      }
      state.owner += 1
      return state.owner
    }
    var left = size
    while left > 0 {
      guard let bytes = connection.bytes(atMost: left), add(bytes, owner) else { return false }
      left -= bytes.count
    }
    let isComplete = state.withLock { state in
      if state.count == length { state.isComplete = true }
      return state.isComplete
    }
    let fields = "Upload-Complete: ?\(isComplete ? 1 : 0)\r\nContent-Length: 8"
    return connection.write("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\ncomplete")
  }

  /// Adds bytes to the upload; returns false if the append has ended.
  private func add(_ bytes: [UInt8], _ owner: Int) -> Bool {
    let (hold, goesOn) = state.withLock { state -> (UploadHold?, Bool) in
      guard state.owner == owner else { return (nil, false) }
      var taken = bytes.count
      let isCut = state.cuts.first.map { state.count + taken >= $0 } ?? false
      if isCut { taken = max(0, state.cuts.removeFirst() - state.count) }
      if keepsData { state.data += bytes.prefix(taken) }
      state.count += taken
      var hold: UploadHold?
      if let next = state.hold, state.count >= next.point {
        hold = next
        state.hold = nil
        if state.count == length { state.isComplete = true }
      }
      return (hold, !isCut)
    }
    if let hold {
      hold.block()
      // The bytes that the socket still has are lost.
      return false
    }
    return goesOn
  }
}

/// A connection of the server, which reads heads and contents.
private final class HeldConnection {
  struct Head {
    let method: String
    /// The fields, by their names in lowercase.
    let fields: [String: String]
  }

  private let descriptor: Int32
  private var buffer: [UInt8] = []

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// The next head; `nil` at the end of the connection.
  func head() -> Head? {
    while !buffer.suffix(4).elementsEqual(Array("\r\n\r\n".utf8)) {
      // One byte at a time, so that the content stays in the socket.
      var byte: UInt8 = 0
      guard recv(descriptor, &byte, 1, 0) == 1 else { return nil }
      buffer.append(byte)
    }
    let lines = String(decoding: buffer, as: UTF8.self).split(separator: "\r\n")
    buffer = []
    var fields: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      fields[line[..<colon].lowercased()] = String(value)
    }
    return Head(method: String(lines.first?.split(separator: " ").first ?? ""), fields: fields)
  }

  /// The next bytes of a content; `nil` at the end of the connection.
  func bytes(atMost limit: Int) -> [UInt8]? {
    let bytes = [UInt8](unsafeUninitializedCapacity: min(limit, 64 << 10)) { buffer, count in
      count = max(0, recv(descriptor, buffer.baseAddress, buffer.count, 0))
    }
    return bytes.isEmpty ? nil : bytes
  }

  func write(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }
}
