/// The framing of a request's body (RFC 9112 section 6.3).
enum RequestFraming: Equatable {
  case length(Int)
  case chunked

  init(_ fields: RawFields) throws(ConnectionEnd) {
    let lengths = Set(fields.values(of: "Content-Length"))
    let codings = fields.values(of: "Transfer-Encoding")
    if !codings.isEmpty {
      guard lengths.isEmpty else { throw .malformed("Content-Length beside Transfer-Encoding.") }
      guard codings.count == 1, codings[0].lowercased() == "chunked" else {
        throw .malformed("A transfer coding other than chunked: \(codings.joined(separator: ", "))")
      }
      self = .chunked
      return
    }
    guard let text = lengths.first else {
      self = .length(0)
      return
    }
    guard lengths.count == 1, text.utf8.allSatisfy({ (48...57).contains($0) }), let length = Int(text) else {
      throw .malformed("A Content-Length that is not one number: \(lengths.sorted().joined(separator: ", "))")
    }
    self = .length(length)
  }
}
