import HTTPTypes
import LupineCore

extension ConformanceKit {
  static let methodChecks: [ConformanceCheck] =
    ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "QUERY", "M-SEARCH", "Mixed"].map {
      name in
      ConformanceCheck("\(name) is sent as it stands", about: "Methods are case-sensitive (RFC 9110 section 9.1).") {
        stage in
        try stage.play { .text("You sent \($0.method).") }
        guard let method = HTTPRequest.Method(name) else { return }
        let response = try await stage.fetch(method: method)
        try stage.expect(response.status, 200, "The status")
        try stage.expect(response.text, "You sent \(name).", "The body")
        try stage.expect(stage.peer.requests.map(\.method), [name], "What the peer saw")
      }
    } + [headCheck, targetCheck, methodsInTurnCheck]

  private static let headCheck = ConformanceCheck(
    "HEAD brings the length and no body", about: "RFC 9110 section 9.3.2."
  ) { stage in
    try stage.play { $0.method == "HEAD" ? .bare(status: 200, fields: ["Content-Length": "1234"]) : .text("next") }
    let response = try await stage.fetch(method: .head)
    try stage.expect(response.head.headerFields[.contentLength], "1234", "Content-Length")
    try stage.expect(response.end.byteCount, 0, "The bytes of the body")
    try stage.expect(try await stage.fetch().text, "next", "The body of the next response")
  }

  private static let targetCheck = ConformanceCheck(
    "the target arrives as the URL has it", about: "No dot segment, escape or query is rewritten on the way."
  ) { stage in
    try stage.play { .text($0.target) }
    for target in ["/", "/a/b?x=1&y=%20&x=2", "/%2e%2E/c%2Fd", "/?", "/a;b=c,d?q=a+b"] {
      let request = try stage.request(target)
      let response = try await stage.fetch(request)
      try stage.expect(response.text, request.url.requestTarget, "The target of \(target)")
    }
  }

  private static let methodsInTurnCheck = ConformanceCheck(
    "a request takes nothing over from the one before"
  ) { stage in
    try stage.play { _ in .text("ok") }
    let fields: HTTPFields = [.accept: "text/plain"]
    _ = try await stage.fetch("/1", method: .put, headers: fields, body: .text("first"))
    _ = try await stage.fetch("/2", method: .head)
    _ = try await stage.fetch("/3")
    _ = try await stage.fetch("/4", method: .post)
    let seen = try stage.peer.requests
    try stage.expect(seen.map(\.method), ["PUT", "HEAD", "GET", "POST"], "The methods")
    try stage.expect(seen.map { $0.body.count }, [5, 0, 0, 0], "The lengths of the bodies")
    try stage.expect(seen.map { $0.fields["Accept"] }, ["text/plain", nil, nil, nil], "The fields")
  }
}
