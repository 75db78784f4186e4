import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineMock
import LupineResumableUpload
import Synchronization

/// A server of resumable uploads in memory, which loses requests and responses as a test says.
final class UploadServer: Sendable {
  /// A failure of the next request that has content.
  enum Loss: Sendable {
    /// The connection is lost after this number of bytes.
    case after(bytes: Int)
    /// The server processes the request, and its response is lost.
    case response
    /// The connection is lost before the server names the location.
    case everything
  }

  struct Upload: Sendable {
    var data = Data()
    var length: Int?
    var isComplete = false
    var contentType: String?
  }

  struct State: Sendable {
    var uploads: [String: Upload] = [:]
    var losses: [Loss] = []
    /// The method, the offset and the size of each request.
    var log: [String] = []
    var headers: [HTTPFields] = []
    var limits: String?
    /// The fields of the answer to OPTIONS; `nil` if the server does not support that method.
    var abilities: HTTPFields?
    /// The largest content that one request may have.
    var maximumContent = Int.max
    var sendsInterim = true
    var answer: MockReply = .text("received")
    /// Appends whose offset was not the server's.
    var conflicts = 0
    /// Returns the reply to a request; `nil` leaves the request to the server.
    var override: (@Sendable (RecordedRequest, inout State) -> MockReply?)?
  }

  let dialect: UploadDialect
  let state = Mutex(State())

  init(_ dialect: UploadDialect = .draft(8)) { self.dialect = dialect }

  /// A mock with the server at every path.
  func mock() -> MockTransport {
    let mock = MockTransport(keepsLog: false)
    mock.stub(.any, "/{any...}", count: .optional) { request in self.reply(to: request) }
    mock.stub(.any, "https://elsewhere.example/{any...}", count: .optional) { request in self.reply(to: request) }
    return mock
  }

  func lose(_ losses: Loss...) { state.withLock { $0.losses += losses } }
  func change(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

  var log: [String] { state.withLock { $0.log } }
  var uploads: [Upload] { state.withLock { Array($0.uploads.values) } }
  var complete: [Data] { uploads.filter(\.isComplete).map(\.data) }

  func reply(to request: RecordedRequest) -> MockReply {
    state.withLock { state in
      let offset = request.headers["Upload-Offset"].map { "@\($0)" } ?? ""
      let size = request.method == .post || request.method == .patch ? " \(request.body.count)" : ""
      state.log.append("\(request.method.rawValue)\(offset)\(size)")
      state.headers.append(request.headers)
      if let override = state.override, let reply = override(request, &state) { return reply }
      switch request.method {
      case .options:
        return state.abilities.map { MockReply.status(.noContent).fields($0) } ?? .status(.methodNotAllowed)
      case .head: return query(request, state)
      case .patch: return append(request, &state)
      case .delete:
        state.uploads[request.url.path] = nil
        return .empty
      default: return create(request, &state)
      }
    }
  }

  private func create(_ request: RecordedRequest, _ state: inout State) -> MockReply {
    let path = "/uploads/\(state.log.count)"
    var upload = Upload(
      length: request.headers["Upload-Length"].flatMap { Int($0) }, contentType: request.headers["Content-Type"])
    let isSupported = dialect == .tus || request.headers["Upload-Complete"] != nil
    guard isSupported, request.body.count <= state.maximumContent else {
      return isSupported ? limited(.status(.contentTooLarge), state) : state.answer
    }
    let isWhole = request.headers["Upload-Complete"] == "?1"
    let interim = state.sendsInterim && dialect != .tus ? [located(path, state)] : []
    return receive(request, isLast: isWhole, into: &upload, path, &state)?.informational(interim)
      ?? limited(.status(.created), state).field("Location", path).informational(interim)
  }

  /// Adds the content, and returns the reply if the upload is complete or the connection is lost.
  private func receive(
    _ request: RecordedRequest, isLast: Bool, into upload: inout Upload, _ path: String, _ state: inout State
  ) -> MockReply? {
    let loss = request.isBodyComplete ? loss(of: request, isLast, &state) : .after(bytes: request.body.count)
    defer { if case .everything = loss {} else { state.uploads[path] = upload } }
    if case .after(let count) = loss {
      upload.data += request.body.prefix(count)
      if dialect == .tus { upload.isComplete = upload.data.count == upload.length }
      return .reset
    }
    if case .everything = loss {
      state.uploads[path] = nil
      return .reset
    }
    upload.data += request.body
    upload.isComplete = dialect == .tus ? upload.data.count == upload.length : isLast
    if case .response = loss { return .reset }
    guard upload.isComplete, dialect != .tus else { return nil }
    return state.answer.field("Upload-Complete", "?1")
  }

  private func loss(of request: RecordedRequest, _ isLast: Bool, _ state: inout State) -> Loss? {
    request.body.isEmpty && !isLast || state.losses.isEmpty ? nil : state.losses.removeFirst()
  }

  private func query(_ request: RecordedRequest, _ state: State) -> MockReply {
    guard let upload = state.uploads[request.url.path] else { return .status(.notFound) }
    var reply = limited(.status(.noContent), state).field("Upload-Offset", "\(upload.data.count)")
    if let length = upload.length { reply = reply.field("Upload-Length", "\(length)") }
    return dialect == .tus ? reply : reply.field("Upload-Complete", upload.isComplete ? "?1" : "?0")
  }

  private func append(_ request: RecordedRequest, _ state: inout State) -> MockReply {
    guard var upload = state.uploads[request.url.path] else { return .status(.notFound) }
    guard request.headers["Upload-Offset"] == "\(upload.data.count)", !upload.isComplete else {
      state.conflicts += 1
      return .status(.conflict).field("Upload-Offset", "\(upload.data.count)")
    }
    guard request.body.count <= state.maximumContent else { return limited(.status(.contentTooLarge), state) }
    let isLast = request.headers["Upload-Complete"] == "?1"
    if let reply = receive(request, isLast: isLast, into: &upload, request.url.path, &state) { return reply }
    let reply = MockReply.empty.field("Upload-Offset", "\(upload.data.count)")
    return dialect == .tus ? reply : reply.field("Upload-Complete", "?0")
  }

  private func located(_ path: String, _ state: State) -> HTTPResponse {
    var head = HTTPResponse(status: .init(code: 104))
    head.headerFields[.location] = path
    if case .draft(let version) = dialect { head.headerFields["Upload-Draft-Interop-Version"] = "\(version)" }
    head.headerFields["Upload-Limit"] = state.limits
    return head
  }

  private func limited(_ reply: MockReply, _ state: State) -> MockReply {
    state.limits.map { reply.field("Upload-Limit", $0) } ?? reply
  }
}

extension Data {
  /// Bytes that differ at each place.
  static func pattern(_ count: Int) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }) }
}
