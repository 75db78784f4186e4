public import HTTPTypes
public import LupineCore
import LupineDoubles
public import LupineFoundation
import LupineSupport

/// The answer of a stub: a response, a fault, or a sequence of them.
///
/// A reply is a value. Each modifier returns a changed copy, and changes every member of a sequence. `Content-Length`
/// is added if the length is known and the reply does not set it. A reply that contradicts itself, for example with two
/// lengths or a body with 204, ends the requests that it answers with kind `invalidStub`.
public struct MockReply: Sendable {
  var parts: [Part]

  init(_ part: Part) { parts = [part] }

  /// One reply of a sequence.
  struct Part: Sendable {
    var status: HTTPResponse.Status = .ok
    var fields: HTTPFields = [:]
    var content = Content.bytes(Data())
    var trailers: HTTPFields?
    var informational: [HTTPResponse] = []
    /// The reaction to a body that waits for 100 Continue; `nil` derives it from the status and the fault.
    var continueReaction: ContinueReaction?
    var tunnelFields: HTTPFields?
    var delay = Duration.zero
    var pace = Pace()
    var resource: Resource?
    var fault: NetworkFault?
    var failure: LupineError?
    var problem: Problem?
    var source = TransportResponse.Source.origin
  }

  /// The source of the reply's bytes.
  enum Content: Sendable {
    /// The number of bytes that are delivered at a time.
    static let pieceSize = 64 << 10

    case bytes(Data)
    case chunks([Data], every: Duration)
    case body(RequestBody)
  }

  /// Why a reply cannot be given.
  struct Problem: Sendable {
    var reason: String
    var underlying: (any Error)?
  }

  func changing(_ change: (inout Part) -> Void) -> MockReply {
    var copy = self
    for index in copy.parts.indices { change(&copy.parts[index]) }
    return copy
  }
}

extension MockReply {
  /// A response with this status and no content.
  public static func status(_ status: HTTPResponse.Status) -> MockReply {
    MockReply(Part(status: status))
  }

  /// A response with status 204 and no content.
  public static var empty: MockReply { .status(.noContent) }

  /// Text, in UTF-8.
  public static func text(
    _ text: String, contentType: String = "text/plain; charset=utf-8", status: HTTPResponse.Status = .ok
  ) -> MockReply {
    .data(Data(text.utf8), contentType: contentType, status: status)
  }

  /// Bytes.
  ///
  /// - Parameter contentType: the media type; `nil` sends none.
  public static func data(
    _ data: Data, contentType: String? = "application/octet-stream", status: HTTPResponse.Status = .ok
  ) -> MockReply {
    var part = Part(status: status, content: .bytes(data))
    part.fields[.contentType] = contentType
    return MockReply(part)
  }

  /// A file that is read while it is delivered; its extension determines the media type.
  ///
  /// A file that is missing when it is requested ends the request with kind `invalidStub`.
  ///
  /// - Parameter path: the file's path; a relative path is resolved against the working directory.
  public static func file(
    _ path: String, contentType: String? = nil, status: HTTPResponse.Status = .ok
  ) -> MockReply {
    .body(.file(path), contentType: contentType ?? mediaType(ofFile: path), status: status)
  }

  /// A body of any kind; a body that is not replayable serves one request.
  ///
  /// A stream that throws, or whose length differs from the reply's, ends the request with kind `invalidStub`. To make
  /// the body fail on purpose, throw a `LupineError` of the kind that the request must end with, or use `fault(_:)`.
  public static func body(
    _ body: RequestBody, contentType: String? = "application/octet-stream", status: HTTPResponse.Status = .ok
  ) -> MockReply {
    var part = Part(status: status, content: .body(body))
    part.fields[.contentType] = contentType
    return MockReply(part)
  }

  /// A redirect.
  ///
  /// - Parameter location: the `Location`, absolute or relative.
  public static func redirect(to location: String, status: HTTPResponse.Status = .found) -> MockReply {
    .status(status).field(.location, location)
  }

  /// Status 401 with a challenge such as `Basic realm="staff"` (RFC 9110 section 11.6.1).
  public static func challenge(_ challenge: String) -> MockReply {
    .status(.unauthorized).field(.wwwAuthenticate, challenge)
  }

  /// A proxy's status 407 with a challenge such as `Basic realm="staff"` (RFC 9110 section 11.7.1).
  ///
  /// For an `https` URL, the reply refuses the tunnel. The reply counts as the proxy's own, whatever proxies the
  /// session has. A session without a proxy sends no credential for it.
  public static func proxyChallenge(_ challenge: String) -> MockReply {
    .refusedByProxy(.proxyAuthenticationRequired).field(.proxyAuthenticate, challenge)
  }

  /// A proxy's response in place of a connection, such as status 407 or 502; its content is never delivered.
  public static func refusedByProxy(_ status: HTTPResponse.Status) -> MockReply {
    var part = Part(status: status)
    part.source = .proxy
    return MockReply(part)
  }

  /// Several replies in order: the first request gets the first one, and at the end the last one repeats.
  ///
  /// Each stub counts separately, over all its requests. To end with the last reply, give the stub a `count`.
  public static func sequence(_ replies: [MockReply]) -> MockReply {
    var sequence = MockReply(Part())
    sequence.parts = replies.flatMap(\.parts)
    return sequence
  }

  /// An error of this kind in place of a response.
  public static func failure(_ kind: LupineError.Kind) -> MockReply {
    .failure(LupineError(kind, "The stub of the mock makes this request fail."))
  }

  /// An error in place of a response.
  public static func failure(_ error: LupineError) -> MockReply {
    var part = Part()
    part.failure = error
    return MockReply(part)
  }
}

extension MockReply {
  /// Returns the media type for a file's extension; plain text and HTML are declared as UTF-8.
  static func mediaType(ofFile path: String) -> String {
    guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/"),
      let type = MediaTypeTable.builtIn[path[path.index(after: dot)...].lowercased()]
    else { return "application/octet-stream" }
    return ["text/plain", "text/html"].contains(type) ? type + "; charset=utf-8" : type
  }
}

extension MockReply {
  /// A file in a folder named `Fixtures`, which is beside the calling source file or in a parent folder.
  ///
  /// The nearest such folder that has the file is used. If no folder has the file, the requests that the stub answers
  /// end with kind `invalidStub`.
  ///
  /// - Parameters:
  ///   - name: the file's name, which may be a path such as `users/42.json`.
  ///   - contentType: the media type; `nil` derives it from the name's extension.
  ///   - filePath: where the search begins.
  public static func fixture(
    _ name: String, contentType: String? = nil, status: HTTPResponse.Status = .ok, filePath: String = #filePath
  ) -> MockReply {
    for folder in filePath.enclosingFolders {
      let path = "\(folder)/Fixtures/\(name)"
      if FileManager.default.fileExists(atPath: path) { return .file(path, contentType: contentType, status: status) }
    }
    var part = Part(status: status)
    part.problem = Problem(reason: "there is no \"\(name)\" in a folder Fixtures beside \(filePath), or above it.")
    return MockReply(part)
  }
}

/// The server's reaction to a body that waits for 100 Continue (RFC 9110 section 10.1.1).
enum ContinueReaction: Sendable, Hashable {
  /// 100 Continue after a delay; `nil` sends nothing before the final response.
  case sendContinue(after: Duration?)
  /// The final response after a delay.
  case sendFinalResponse(after: Duration)
}
