import FoundationEssentials
import HTTPTypes
import LupineCore
import Testing

@testable import LupineAuthentication

/// A signature that RFC 9421 publishes.
struct SignatureVector: Sendable, CustomTestStringConvertible {
  let section: String
  let key: String
  let components: [SignatureComponent]
  let parameters: String
  let request: OutgoingRequest
  var response: HTTPResponse?
  let signature: String
  /// The lines of the signature base before that of the parameters.
  let lines: [String]

  var testDescription: String { section }
  var base: String { (lines + ["\"@signature-params\": \(input)"]).joined(separator: "\n") }
  var input: String { "(\(components.map(\.description).joined(separator: " ")))\(parameters)" }
}

extension SignatureVector {
  static let digest =
    "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:"
  static let responseDigest =
    "sha-512=:mEWXIS7MaLRuGgxOBdODa3xqM1XdEvxoYhvlCFJ41QJgJc4GTsPp29l5oGX69wWdXymyU0rjJuahq4l5aGgfLQ==:"
  static let refusalDigest =
    "sha-512=:0Y6iCBzGg5rZtoXS95Ijz03mslf6KAMCloESHObfwnHJDbkkWWQz6PhhU9kxsTbARtY2PTBOzq24uJFpHsMuAg==:"
  static let certificate =
    ":MIIBqDCCAU6gAwIBAgIBBzAKBggqhkjOPQQDAjA6MRswGQYDVQQKDBJMZXQncyBBdXRoZW50aWNhdGUxGzAZBgNVBAMMEkxBIEludGVybWVkaWF0ZSBDQTAeFw0yMDAxMTQyMjU1MzNaFw0yMTAxMjMyMjU1MzNaMA0xCzAJBgNVBAMMAkJDMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE8YnXXfaUgmnMtOXU/IncWalRhebrXmckC8vdgJ1p5Be5F/3YC8OthxM4+k1M6aEAEFcGzkJiNy6J84y7uzo9M6NyMHAwCQYDVR0TBAIwADAfBgNVHSMEGDAWgBRm3WjLa38lbEYCuiCPct0ZaSED2DAOBgNVHQ8BAf8EBAMCBsAwEwYDVR0lBAwwCgYIKwYBBQUHAwIwHQYDVR0RAQH/BBMwEYEPYmRjQGV4YW1wbGUuY29tMAoGCCqGSM49BAMCA0gAMEUCIBHda/r1vaL6G3VliL4/Di6YK0Q6bMjeSkC3dFCOOB8TAiEAx/kHSB4urmiZ0NX5r5XarmPk0wmuydBVoU4hBVZ1yhk=:"
  static let body = RequestBody.text("{\"hello\": \"world\"}")

  static func request(
    _ url: String = "https://example.com/foo?param=Value&Pet=dog", method: HTTPRequest.Method = .post,
    fields: [(String, String)] = [], body: RequestBody = body
  ) -> OutgoingRequest {
    var headers = HTTPFields()
    for (name, value) in fields {
      if let name = HTTPField.Name(name) { headers.append(HTTPField(name: name, value: value)) }
    }
    guard let request = try? OutgoingRequest(url, method: method, headers: headers, body: body) else {
      fatalError("\(url) is no URL")
    }
    return request
  }

  /// `test-request` of appendix B.2.
  static let testRequest = request(fields: [
    ("Date", "Tue, 20 Apr 2021 02:07:55 GMT"), ("Content-Type", "application/json"), ("Content-Digest", digest),
  ])

  static func response(_ status: Int, _ fields: [(String, String)]) -> HTTPResponse {
    var response = HTTPResponse(status: HTTPResponse.Status(code: status))
    for (name, value) in fields {
      if let name = HTTPField.Name(name) { response.headerFields.append(HTTPField(name: name, value: value)) }
    }
    return response
  }

  static let all: [SignatureVector] = [
    SignatureVector(
      section: "B.2.1", key: "test-key-rsa-pss", components: [],
      parameters: ";created=1618884473;keyid=\"test-key-rsa-pss\";nonce=\"b3k2pp5k7z-50gnwp.yemd\"",
      request: testRequest,
      signature:
        "d2pmTvmbncD3xQm8E9ZV2828BjQWGgiwAaw5bAkgibUopemLJcWDy/lkbbHAve4cRAtx31Iq786U7it++wgGxbtRxf8Udx7zFZsckzXaJMkA7ChG52eSkFxykJeNqsrWH5S+oxNFlD4dzVuwe8DhTSja8xxbR/Z2cOGdCbzR72rgFWhzx2VjBqJzsPLMIQKhO4DGezXehhWwE56YCE+O6c0mKZsfxVrogUvA4HELjVKWmAvtl6UnCh8jYzuVG5WSb/QEVPnP5TmcAnLH1g+s++v6d4s8m0gCw1fV5/SITLq9mhho8K3+7EPYTU8IU1bLhdxO5Nyt8C8ssinQ98Xw9Q==",
      lines: []),
    SignatureVector(
      section: "B.2.2", key: "test-key-rsa-pss", components: [.authority, "content-digest", .queryParameter("Pet")],
      parameters: ";created=1618884473;keyid=\"test-key-rsa-pss\";tag=\"header-example\"", request: testRequest,
      signature:
        "LjbtqUbfmvjj5C5kr1Ugj4PmLYvx9wVjZvD9GsTT4F7GrcQEdJzgI9qHxICagShLRiLMlAJjtq6N4CDfKtjvuJyE5qH7KT8UCMkSowOB4+ECxCmT8rtAmj/0PIXxi0A0nxKyB09RNrCQibbUjsLS/2YyFYXEu4TRJQzRw1rLEuEfY17SARYhpTlaqwZVtR8NV7+4UKkjqpcAoFqWFQh62s7Cl+H2fjBSpqfZUJcsIk4N6wiKYd4je2U/lankenQ99PZfB4jY3I5rSV2DSBVkSFsURIjYErOs0tFTQosMTAoxk//0RoKUqiYY8Bh0aaUEb0rQl3/XaVe4bXTugEjHSw==",
      lines: ["\"@authority\": example.com", "\"content-digest\": \(digest)", "\"@query-param\";name=\"Pet\": dog"]),
    SignatureVector(
      section: "B.2.3", key: "test-key-rsa-pss",
      components: ["date", .method, .path, .query, .authority, "content-type", "content-digest", "content-length"],
      parameters: ";created=1618884473;keyid=\"test-key-rsa-pss\"", request: testRequest,
      signature:
        "bbN8oArOxYoyylQQUU6QYwrTuaxLwjAC9fbY2F6SVWvh0yBiMIRGOnMYwZ/5MR6fb0Kh1rIRASVxFkeGt683+qRpRRU5p2voTp768ZrCUb38K0fUxN0O0iC59DzYx8DFll5GmydPxSmme9v6ULbMFkl+V5B1TP/yPViV7KsLNmvKiLJH1pFkh/aYA2HXXZzNBXmIkoQoLd7YfW91kE9o/CCoC1xMy7JA1ipwvKvfrs65ldmlu9bpG6A9BmzhuzF8Eim5f8ui9eH8LZH896+QIF61ka39VBrohr9iyMUJpvRX2Zbhl5ZJzSRxpJyoEZAFL2FUo5fTIztsDZKEgM4cUA==",
      lines: [
        "\"date\": Tue, 20 Apr 2021 02:07:55 GMT", "\"@method\": POST", "\"@path\": /foo",
        "\"@query\": ?param=Value&Pet=dog", "\"@authority\": example.com", "\"content-type\": application/json",
        "\"content-digest\": \(digest)", "\"content-length\": 18",
      ]),
    SignatureVector(
      section: "B.2.4", key: "test-key-ecc-p256",
      components: [.status, "content-type", "content-digest", "content-length"],
      parameters: ";created=1618884473;keyid=\"test-key-ecc-p256\"", request: testRequest,
      response: response(
        200,
        [("Content-Type", "application/json"), ("Content-Digest", responseDigest), ("Content-Length", "23")]),
      signature: "wNmSUAhwb5LxtOtOpNa6W5xj067m5hFrj0XQ4fvpaCLx0NKocgPquLgyahnzDnDAUy5eCdlYUEkLIj+32oiasw==",
      lines: [
        "\"@status\": 200", "\"content-type\": application/json", "\"content-digest\": \(responseDigest)",
        "\"content-length\": 23",
      ]),
    SignatureVector(
      section: "B.2.5", key: "test-shared-secret", components: ["date", .authority, "content-type"],
      parameters: ";created=1618884473;keyid=\"test-shared-secret\"", request: testRequest,
      signature: "pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=",
      lines: [
        "\"date\": Tue, 20 Apr 2021 02:07:55 GMT", "\"@authority\": example.com", "\"content-type\": application/json",
      ]),
    SignatureVector(
      section: "B.2.6", key: "test-key-ed25519",
      components: ["date", .method, .path, .authority, "content-type", "content-length"],
      parameters: ";created=1618884473;keyid=\"test-key-ed25519\"", request: testRequest,
      signature: "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==",
      lines: [
        "\"date\": Tue, 20 Apr 2021 02:07:55 GMT", "\"@method\": POST", "\"@path\": /foo",
        "\"@authority\": example.com",
        "\"content-type\": application/json", "\"content-length\": 18",
      ]),
    SignatureVector(
      section: "B.3", key: "test-key-ecc-p256", components: [.path, .query, .method, .authority, "client-cert"],
      parameters: ";created=1618884473;keyid=\"test-key-ecc-p256\"",
      request: request(
        "https://service.internal.example/foo?param=Value&Pet=dog", fields: [("Client-Cert", certificate)]),
      signature: "xVMHVpawaAC/0SbHrKRs9i8I3eOs5RtTMGCWXm/9nvZzoHsIg6Mce9315T6xoklyy0yzhD9ah4JHRwMLOgmizw==",
      lines: [
        "\"@path\": /foo", "\"@query\": ?param=Value&Pet=dog", "\"@method\": POST",
        "\"@authority\": service.internal.example", "\"client-cert\": \(certificate)",
      ]),
    SignatureVector(
      section: "B.4", key: "test-key-ed25519", components: [.method, .path, .authority, "accept"],
      parameters: ";created=1618884473;keyid=\"test-key-ed25519\"",
      request: request(
        "https://example.org/demo?name1=Value1&Name2=value2", method: .get,
        fields: [("Accept", "application/json"), ("Accept", " */*")], body: .none),
      signature: "ZT1kooQsEHpZ0I1IjCqtQppOmIqlJPeo7DHR3SoMn0s5JZ1eRGS0A+vyYP9t/LXlh5QMFFQ6cpLt2m0pmj3NDA==",
      lines: [
        "\"@method\": GET", "\"@path\": /demo", "\"@authority\": example.org", "\"accept\": application/json, */*",
      ]),
    SignatureVector(
      section: "4.3", key: "test-key-rsa",
      components: [.method, .authority, .path, "content-digest", "content-type", "content-length", "forwarded"],
      parameters: ";created=1618884480;keyid=\"test-key-rsa\";alg=\"rsa-v1_5-sha256\";expires=1618884540",
      request: request(
        "https://origin.host.internal.example/foo",
        fields: [
          ("Content-Type", "application/json"), ("Content-Digest", digest),
          ("Forwarded", "for=192.0.2.123;host=example.com;proto=https"),
        ]),
      signature:
        "S6ZzPXSdAMOPjN/6KXfXWNO/f7V6cHm7BXYUh3YD/fRad4BCaRZxP+JH+8XY1I6+8Cy+CM5g92iHgxtRPz+MjniOaYmdkDcnL9cCpXJleXsOckpURl49GwiyUpZ10KHgOEe11sx3G2gxI8S0jnxQB+Pu68U9vVcasqOWAEObtNKKZd8tSFu7LB5YAv0RAGhB8tmpv7sFnIm9y+7X5kXQfi8NMaZaA8i2ZHwpBdg7a6CMfwnnrtflzvZdXAsD3LH2TwevU+/PBPv0B6NMNk93wUs/vfJvye+YuI87HU38lZHowtznbLVdp770I6VHR6WfgS9ddzirrswsE1w5o0LV/g==",
      lines: [
        "\"@method\": POST", "\"@authority\": origin.host.internal.example", "\"@path\": /foo",
        "\"content-digest\": \(digest)", "\"content-type\": application/json", "\"content-length\": 18",
        "\"forwarded\": for=192.0.2.123;host=example.com;proto=https",
      ]),
    SignatureVector(
      section: "2.4", key: "test-key-ecc-p256",
      components: [
        .status, "content-digest", "content-type", .authority.ofRequest, .method.ofRequest, .path.ofRequest,
        SignatureComponent("content-digest").ofRequest,
      ],
      parameters: ";created=1618884479;keyid=\"test-key-ecc-p256\"",
      request: request(
        "https://example.com/foo?param=Value&Pet=dog",
        fields: [("Content-Type", "application/json"), ("Content-Digest", digest)]),
      response: response(503, [("Content-Type", "application/json"), ("Content-Digest", refusalDigest)]),
      signature: "dMT/A/76ehrdBTD/2Xx8QuKV6FoyzEP/I9hdzKN8LQJLNgzU4W767HK05rx1i8meNQQgQPgQp8wq2ive3tV5Ag==",
      lines: [
        "\"@status\": 503", "\"content-digest\": \(refusalDigest)", "\"content-type\": application/json",
        "\"@authority\";req: example.com", "\"@method\";req: POST", "\"@path\";req: /foo",
        "\"content-digest\";req: \(digest)",
      ]),
  ]
}
