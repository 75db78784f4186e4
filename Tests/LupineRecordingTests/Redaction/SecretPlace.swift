import FoundationEssentials
import HTTPTypes
import LupineCore
@testable import LupineRecording
import LupineSupport

/// A place of an exchange that has a secret.
struct SecretPlace: Sendable, CustomStringConvertible {
  let description: String
  /// Puts a secret at the place of an exchange.
  let put: @Sendable (String, inout Cassette.Entry) -> Void

  init(_ description: String, _ put: @escaping @Sendable (String, inout Cassette.Entry) -> Void) {
    self.description = description
    self.put = put
  }

  /// An exchange with this secret at the place.
  func entry(_ secret: String) -> Cassette.Entry {
    var entry = Cassette.Entry(
      request: Cassette.Request(method: .post, url: "https://api.example.com/items?page=2"),
      response: Cassette.Response(head: HTTPResponse(status: .ok)))
    put(secret, &entry)
    return entry
  }

  static func percentCoded(_ text: String) -> String {
    text.utf8.map { byte in
      byte >= 0x30 && byte < 0x3A || (byte | 0x20) >= 0x61 && (byte | 0x20) < 0x7B
        ? String(Character(Unicode.Scalar(byte))) : "%" + String(UInt16(byte) + 0x100, radix: 16).dropFirst()
    }.joined()
  }

  static func escaped(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      "\\u" + String(UInt32(scalar.value) + 0x1_0000, radix: 16).dropFirst()
    }.joined()
  }
}

extension SecretPlace {
  /// Whether a text has a secret: as it is, percent-coded once or twice, escaped as in JSON, or in base64.
  static func isSecret(_ secret: String, in text: Data) -> Bool {
    let coded = percentCoded(secret)
    let values = [secret, coded, percentCoded(coded), escaped(secret)].map { Array($0.utf8) }
    return (values + SecretPatterns.base64(Array(secret.utf8))).contains { text.firstRange(of: $0) != nil }
  }
}

extension Cassette.Entry {
  mutating func requestBody(_ text: String, _ type: String) {
    request.fields[.contentType] = type
    request.body = .inline(Data(text.utf8))
  }

  mutating func responseBody(_ text: String, _ type: String) {
    response?.head.headerFields[.contentType] = type
    response?.body = .inline(Data(text.utf8))
    response?.chunks = [Cassette.Chunk(after: .zero, count: text.utf8.count)]
  }

  /// The body of the response as text.
  var responseText: String {
    guard case .inline(let data)? = response?.body else { return "" }
    return String(decoding: data, as: UTF8.self)
  }
}

extension SecretPlace {
  /// The places of requests.
  static let requests = [
    SecretPlace("a credential with a scheme") { $1.request.fields[.authorization] = "Bearer \($0)" },
    SecretPlace("a credential without a scheme") { $1.request.fields[.authorization] = $0 },
    SecretPlace("a name and password") {
      $1.request.fields[.authorization] = "Basic \(Data("ada:\($0)".utf8).base64EncodedString())"
    },
    SecretPlace("a field for keys") { $1.request.fields[HTTPField.Name(constant: "X-Api-Key")] = $0 },
    SecretPlace("a field with a secret name") { $1.request.fields[HTTPField.Name(constant: "X-Auth-Token")] = $0 },
    SecretPlace("a field that the session marks") { $1.request.fields[HTTPField.Name(constant: "X-Tenant")] = $0 },
    SecretPlace("cookies") { $1.request.fields[.cookie] = "a=\($0); theme=; b=\"\($0)\"" },
    SecretPlace("a referring URL") { $1.request.fields[.referer] = "https://a.example/?token=\(percentCoded($0))" },
    SecretPlace("a parameter of the query") { $1.request.url += "&api_key=\(percentCoded($0))" },
    SecretPlace("a nested parameter of the query") { $1.request.url += "&user%5Bpassword%5D=\(percentCoded($0))" },
    SecretPlace("a URL in the query") {
      $1.request.url += "&next=\(percentCoded("https://a.example/?code=\(percentCoded($0))"))"
    },
    SecretPlace("a form") {
      $1.requestBody("a=1&refresh_token=\(percentCoded($0))&b=2", "application/x-www-form-urlencoded")
    },
    SecretPlace("JSON") { $1.requestBody(#"{"user":{"password": "\#($0)", "n":1.0}}"#, "application/json") },
    SecretPlace("JSON with escapes") { $1.requestBody(#"{"token":"\#(escaped($0))"}"#, "application/json") },
    SecretPlace("a secret array of JSON") {
      $1.requestBody(#"{"secret":["\#($0)",{"x":"\#($0)"}],"y":[1]}"#, "application/json")
    },
    SecretPlace("JSON in a string of JSON") {
      $1.requestBody(#"{"body":"{\"client_secret\":\"\#($0)\"}"}"#, "application/json")
    },
    SecretPlace("JSON without a type") { $1.requestBody(#" [{"jwt":"\#($0)"}]"#, "text/plain") },
    SecretPlace("lines of JSON") {
      $1.requestBody("{\"a\":1}\n{\"token\":\"\($0)\"}\n", "application/x-ndjson")
    },
    SecretPlace("a part of a multipart") {
      $1.requestBody(
        "--cut\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n\($0)\r\n--cut\r\n"
          + "Content-Disposition: form-data; filename=\"a\"; name=\"data\"\r\nContent-Type: application/json\r\n\r\n"
          + "{\"token\":\"\($0)\"}\r\n--cut--\r\n", "multipart/form-data; boundary=cut")
    },
  ]

  /// The places of responses.
  static let responses = [
    SecretPlace("a cookie that is set") {
      $1.response?.head.headerFields[.setCookie] = "sid=\($0); Path=/; Secure"
    },
    SecretPlace("a redirect") {
      $1.response?.head.headerFields[.location] = "/callback?code=\(percentCoded($0))&state=7"
    },
    SecretPlace("a fragment") {
      $1.response?.head.headerFields[.location] = "https://a.example/#access_token=\(percentCoded($0))"
    },
    SecretPlace("the user of a URL") {
      $1.response?.head.headerFields[.location] = "https://ada:\(percentCoded($0))@a.example/"
    },
    SecretPlace("a link of an interim response") {
      var head = HTTPResponse(status: .init(code: 103))
      head.headerFields[HTTPField.Name(constant: "Link")] = "</a.css?token=\(percentCoded($0))>; rel=preload"
      $1.interim = [Cassette.Interim(head: head, after: .zero)]
    },
    SecretPlace("a trailer") { $1.end = .complete(trailers: [HTTPField.Name(constant: "X-Token"): $0]) },
    SecretPlace("the message of an error") {
      let message = "https://a.example/?token=\(percentCoded($0)) failed."
      $1.end = .failed(Cassette.Failure(kind: "connectionLost", message: message))
    },
    SecretPlace("the JSON of a response") {
      $1.responseBody(#"{"access_token" : "\#($0)","expires_in":3600}"#, "application/json;charset=utf-8")
    },
    SecretPlace("returned fields") {
      $1.responseBody(
        #"{"headers":{"Authorization":"Bearer \#($0)","Cookie":"a=\#($0)"}}"#, "application/json")
    },
    SecretPlace("the form of a response") {
      $1.responseBody("access_token=\(percentCoded($0))&scope=", "application/x-www-form-urlencoded")
    },
    SecretPlace("events with JSON") {
      $1.responseBody(
        ": hello\ndata: {\"a\":\ndata: 1,\ndata:\"token\":\r\ndata: \"\($0)\"}\n\ndata: {\"token\":\"\($0)\"}\n\n",
        "text/event-stream")
    },
    SecretPlace("links of a page") {
      $1.responseBody("<a href=\"/x?token=\(percentCoded($0))\">x</a>", "text/html")
    },
  ]

  static let all = requests + responses
}
