import HTTPTypes
import LupineCore
import LupineFraming
import LupineSupport

/// The client's side of CONNECT, which opens a tunnel through an HTTP proxy (RFC 9110 section 9.3.6).
///
/// Only a 2xx response opens the tunnel. Its `Content-Length` and `Transfer-Encoding` have no meaning, so bytes after its
/// head are an error: they would be read as the server's. The content of any other response is not read.
struct TunnelNegotiation: ProxyNegotiation {
  let opening: [UInt8]
  private let proxy: Proxy
  private var reader: ResponseReader
  private var isOpen = false
  private var failure: LupineError?

  /// - Parameters:
  ///   - origin: the server at the end of the tunnel.
  ///   - authorization: the field `Proxy-Authorization`.
  ///   - limits: the reader applies those of a response's head.
  init(
    to origin: HTTPURL.Origin, authorization: HTTPField?, through proxy: Proxy, _ limits: Limits, _ cache: HeadCache
  ) {
    opening = Self.head(origin, authorization)
    self.proxy = proxy
    reader = ResponseReader(to: .connect, limits, cache)
  }

  var isTargetRefused: Bool { false }

  private static func head(_ origin: HTTPURL.Origin, _ authorization: HTTPField?) -> [UInt8] {
    let name = origin.host.utf8.contains(.colon) ? "[\(origin.host)]" : origin.host
    var bytes = Array("CONNECT \(name):\(origin.port) HTTP/1.1\r\nHost: \(name):\(origin.port)\r\n".utf8)
    if let authorization {
      bytes += "Proxy-Authorization: ".utf8
      authorization.withUnsafeBytesOfValue { bytes += $0 }
      bytes += "\r\n".utf8
    }
    return bytes + "\r\n".utf8
  }

  mutating func process(_ bytes: UnsafeRawBufferPointer) throws(LupineError) -> NegotiationProgress {
    if let failure { throw failure }
    do throws(LupineError) {
      return NegotiationProgress(outcome: try outcome(of: bytes))
    } catch {
      let named = LupineError(
        error.kind, "The proxy \(proxy) has not answered the request for a tunnel as HTTP requires. \(error.message)")
      failure = named
      throw named
    }
  }

  private mutating func outcome(
    of bytes: UnsafeRawBufferPointer
  ) throws(LupineError) -> NegotiationProgress.Outcome {
    guard !isOpen || bytes.isEmpty else { throw Self.surplus }
    var position = 0
    while let event = try reader.next(in: bytes, from: &position) {
      guard case .head(let head, _) = event else { continue }
      guard head.response.status.kind == .successful else { return .refused(Self.withoutContent(head.response)) }
      guard position == bytes.count else { throw Self.surplus }
      isOpen = true
      return .open(head.response)
    }
    return .incomplete
  }

  private static let surplus = LupineError(
    .malformedResponse, "Bytes follow the response that opened the tunnel, which the server cannot have sent.")

  /// Removes the fields about the content, which is not read.
  private static func withoutContent(_ response: HTTPResponse) -> HTTPResponse {
    var response = response
    for name in [HTTPField.Name.contentLength, .contentEncoding, .transferEncoding, .contentType] {
      response.headerFields[name] = nil
    }
    return response
  }
}
