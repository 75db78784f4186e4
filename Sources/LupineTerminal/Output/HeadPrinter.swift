#if Terminal
  import HTTPTypes
  import LupineCore

  /// Writes the heads of requests and responses as text of HTTP/1.1, with secret fields redacted.
  struct HeadPrinter {
    let output: StandardOutput

    /// Writes the head of a request, with the fields that its transport adds.
    ///
    /// - Parameter length: the length of the content; `nil` if it is unknown.
    func write(_ request: OutgoingRequest, length: Int64?) throws {
      var lines = [line(request)]
      let hasHost = request.headers.contains { $0.name.canonicalName == "host" }
      if !hasHost { lines.append(field("Host", request.url.authority)) }
      lines += fields(request.headers)
      if request.hasBody, let length {
        lines.append(field("Content-Length", "\(length)"))
      } else if request.hasBody {
        lines.append(field("Transfer-Encoding", "chunked"))
      } else if [.post, .put, .patch].contains(request.method) {
        lines.append(field("Content-Length", "0"))
      }
      try output.write(lines.joined(separator: "\n") + "\n\n")
    }

    /// Writes the head of a response.
    func write(_ response: HTTPResponse, version: ProtocolVersion) throws {
      let status = response.status
      let style = Style.ofStatus(status.code)
      let reason = status.reasonPhrase.isEmpty ? "" : " " + ControlEscaper.line(status.reasonPhrase)
      let first = version.rawValue + " " + style.paint("\(status.code)\(reason)", if: output.hasColours)
      let lines = [first] + fields(response.headerFields)
      try output.write(lines.joined(separator: "\n") + "\n\n")
    }

    /// Writes the fields after the content.
    func write(trailers: HTTPFields) throws {
      guard !trailers.isEmpty else { return }
      try output.write(fields(trailers).joined(separator: "\n") + "\n")
    }

    private func line(_ request: OutgoingRequest) -> String {
      let method = Style.good.paint(request.method.rawValue, if: output.hasColours)
      return "\(method) \(request.url.requestTarget) HTTP/1.1"
    }

    private func fields(_ fields: HTTPFields) -> [String] {
      SecretFields.standard.redact(fields).map { field($0.name.rawName, $0.value) }
    }

    private func field(_ name: String, _ value: String) -> String {
      Style.name.paint(ControlEscaper.line(name), if: output.hasColours) + ": " + ControlEscaper.line(value)
    }
  }
#endif
