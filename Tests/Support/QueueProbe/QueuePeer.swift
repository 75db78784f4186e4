import Foundation
import HTTPTypes
import LupineCore
import LupineMock
import Synchronization

/// The server of the transfers: a mock that keeps what it receives.
///
/// | URL | |
/// |---|---|
/// | `/d/NUMBER` | a download; each third one is cut in its middle, and continues |
/// | `/u/NUMBER`, `/f/NUMBER` | an upload of a file, and of a form |
/// | `/r/NUMBER`, `/r/NUMBER/rest` | an upload that is cut in its middle, and continues |
struct QueuePeer: Sendable {
  static let base = "https://example.com"

  /// The uploads by their numbers; the first part of one that was cut is named `NUMBER.part`.
  var bodies = ReceivedBodies()
  /// Whether to print `request NUMBER` for each request that is part of a transfer.
  var tells = false

  /// The bytes of a file.
  static func content(_ number: Int) -> Data {
    let count = 1_000 + number * 7_919 % 60_000
    let words = (0...count / 8).map { $0 &* 0x0101_0001 &+ number << 48 }
    return words.withUnsafeBytes { Data($0.prefix(count)) }
  }

  /// Whether a body is the form of an upload, with its file at the end.
  static func isForm(_ body: Data, of content: Data) -> Bool {
    guard let end = body.range(of: Data("\r\n".utf8)) else { return false }
    let tail = Data("\r\n".utf8) + body[..<end.lowerBound] + Data("--\r\n".utf8)
    return body.starts(with: Data("--".utf8)) && body.dropLast(tail.count).hasSuffix(content) && body.hasSuffix(tail)
  }

  func transport() -> MockTransport {
    let mock = MockTransport()
    mock.stub([.get, .head], "\(Self.base)/d/{number}") { request in
      let number = note(request)
      let data = Self.content(number)
      let reply = MockReply.resource(data, etag: "\(number)")
      guard number.isMultiple(of: 3), request.headers[.range] == nil else { return reply }
      return reply.fault(.reset(afterBytes: data.count / 2))
    }
    mock.stub(.put, "\(Self.base)/u/{number}") { receive($0.body, note($0)) }
    mock.stub(.put, "\(Self.base)/f/{number}") { receive($0.body, note($0)) }
    stubResumption(mock)
    return mock
  }

  private func stubResumption(_ mock: MockTransport) {
    mock.stub(.put, "\(Self.base)/r/{number}") { request in
      let number = note(request)
      bodies.write(request.body.prefix(request.body.count / 2), to: "\(number).part")
      var place = HTTPResponse(status: .init(code: 104), headerFields: [.location: "/r/\(number)/rest"])
      place.headerFields["Upload-Draft-Interop-Version"] = "8"
      return MockReply.reset.informational([place])
    }
    mock.stub(.head, "\(Self.base)/r/{number}/rest") { request in
      let number = self.number(request)
      if let part = bodies.read("\(number).part") { return offset(part.count, isComplete: false) }
      guard let whole = bodies.read("\(number)") else { return .status(.notFound) }
      return offset(whole.count, isComplete: true)
    }
    mock.stub(.patch, "\(Self.base)/r/{number}/rest") { request in
      let number = note(request)
      let part = bodies.read("\(number).part") ?? Data()
      guard request.headers["Upload-Offset"] == "\(part.count)" else {
        return MockReply.status(.conflict).field("Upload-Offset", "\(part.count)")
      }
      let reply = receive(part + request.body, number)
      bodies.remove("\(number).part")
      return reply.field("Upload-Complete", "?1")
    }
    mock.stub(.delete, "\(Self.base)/r/{number}/rest") { request in
      bodies.remove("\(number(request)).part")
      return .empty
    }
  }

  private func offset(_ count: Int, isComplete: Bool) -> MockReply {
    MockReply.empty.field("Upload-Offset", "\(count)").field("Upload-Complete", isComplete ? "?1" : "?0")
  }

  private func number(_ request: RecordedRequest) -> Int { Int(request.variables["number"] ?? "") ?? 0 }

  private func note(_ request: RecordedRequest) -> Int {
    let number = number(request)
    if tells { QueueScript.say("request \(number)") }
    return number
  }

  /// Stores an upload; one that comes again must have the same bytes.
  private func receive(_ body: Data, _ number: Int) -> MockReply {
    if let former = bodies.read("\(number)"), former != body {
      QueueScript.say("wrong: upload \(number) came with other bytes")
    }
    bodies.write(body, to: "\(number)")
    return .text("thanks")
  }
}

/// The bodies that a server has received, by their names.
final class ReceivedBodies: Sendable {
  private let folder: String?
  private let inMemory = Mutex<[String: Data]>([:])

  /// - Parameter folder: keeps the bodies, so that they survive the program; `nil` keeps them in memory, where no disk
  ///   fails.
  init(in folder: String? = nil) { self.folder = folder }

  func read(_ name: String) -> Data? {
    guard let folder else { return inMemory.withLock { $0[name] } }
    return FileManager.default.contents(atPath: "\(folder)/\(name)")
  }

  func write(_ data: Data, to name: String) {
    guard let folder else { return inMemory.withLock { $0[name] = data } }
    do { try data.write(to: URL(filePath: "\(folder)/\(name)"), options: .atomic) } catch {
      QueueScript.say("wrong: the peer cannot write \(name): \(error)")
    }
  }

  func remove(_ name: String) {
    guard let folder else { return inMemory.withLock { $0[name] = nil } }
    unlink("\(folder)/\(name)")
  }
}

extension Data {
  fileprivate func hasSuffix(_ data: Data) -> Bool { suffix(data.count) == data }
}
