import HTTPTypes
import LupineCore

/// How the body of a request is framed (RFC 9112 section 6).
enum RequestFraming: Equatable {
  /// No body and no field about one.
  case none
  case length(Int64)
  case chunked

  /// - Parameter reader: the reader of the body; `nil` without one.
  init(_ method: HTTPRequest.Method, _ reader: (any BodyReader)?) {
    if let reader {
      self = reader.length.map { .length($0) } ?? .chunked
    } else {
      self = method.statesEmptyLength ? .length(0) : .none
    }
  }

  /// The number of bytes of the body; `nil` if it is not known, or without a field about one.
  var length: Int64? { if case .length(let length) = self { length } else { nil } }
}

/// The forwarding of a request by an HTTP proxy, which receives the whole URL (RFC 9112 section 3.2.2).
struct RequestForwarding {
  /// The field with the credential for the proxy; `nil` without one.
  let authorization: HTTPField?
}

/// Writes the head of a request (RFC 9112 sections 3 and 5).
///
/// The fields keep their order and their case. `Host`, the framing of the body and `Expect` are added, and to a
/// forwarded request `Proxy-Authorization`. `RequestRules` has refused fields with control bytes, and `HTTPURL` contains
/// none.
struct RequestHead {
  let bytes: [UInt8]

  /// - Parameters:
  ///   - expectsContinue: whether the head must ask for 100 (Continue).
  ///   - forwarding: how a proxy forwards the request; `nil` if the server or a tunnel receives it.
  ///   - lines: the lines of the last request to the same origin, which are replaced if the fields differ.
  init(
    _ request: OutgoingRequest, _ framing: RequestFraming, expectsContinue: Bool, forwarding: RequestForwarding? = nil,
    reusing lines: inout RequestLines?
  ) {
    let all = Self.lines(of: request, forwarding, reusing: &lines)
    let method = request.method.rawValue
    let target = forwarding == nil ? request.url.requestTarget : request.url.absoluteTarget
    let added = Self.addedLines(framing, expectsContinue && !Self.asksForContinue(request.headers))
    let room = method.utf8.count + target.utf8.count + all.bytes.count + added.utf8.count + 16
    bytes = Array(unsafeUninitializedCapacity: room) { space, count in
      space.write(method, at: &count)
      space.write(" ", at: &count)
      space.write(target, at: &count)
      space.write(" HTTP/1.1\r\n", at: &count)
      all.bytes.withUnsafeBufferPointer { space.write($0, at: &count) }
      space.write(added, at: &count)
      space.write("\r\n", at: &count)
    }
  }

  /// Returns the lines of the fields; forwarded requests may have any origin and a credential, and reuse none.
  private static func lines(
    of request: OutgoingRequest, _ forwarding: RequestForwarding?, reusing lines: inout RequestLines?
  ) -> RequestLines {
    if let forwarding { return RequestLines(request, adding: forwarding.authorization) }
    if let lines, lines.have(request.headers) { return lines }
    let new = RequestLines(request)
    lines = new
    return new
  }

  private static func addedLines(_ framing: RequestFraming, _ expectsContinue: Bool) -> String {
    let expectation = expectsContinue ? "Expect: 100-continue\r\n" : ""
    switch framing {
    case .none: return expectation
    case .length(let length): return "Content-Length: \(length)\r\n" + expectation
    case .chunked: return "Transfer-Encoding: chunked\r\n" + expectation
    }
  }

  /// Whether the fields of a request ask for 100 (Continue).
  static func asksForContinue(_ fields: HTTPFields) -> Bool {
    fields.contains(.expect) && fields[values: .expect].contains { $0.lowercased() == "100-continue" }
  }

  /// Whether the fields of a request end its connection (RFC 9112 section 9.6).
  static func endsConnection(_ fields: HTTPFields) -> Bool {
    fields.contains(.connection)
      && fields[values: .connection].contains { value in
        value.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }.contains("close")
      }
  }
}

extension UnsafeMutableBufferPointer<UInt8> {
  /// Writes a text at a position, and moves the position past it.
  fileprivate func write(_ text: String, at position: inout Int) {
    var text = text
    text.withUTF8 { write($0, at: &position) }
  }

  fileprivate func write(_ bytes: UnsafeBufferPointer<UInt8>, at position: inout Int) {
    position = self[position...].update(fromContentsOf: bytes)
  }
}
