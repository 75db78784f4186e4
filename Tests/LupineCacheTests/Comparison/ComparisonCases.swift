import HTTPTypes

extension ComparisonCase {
  static let all = lifetimes + validations + prohibitions + requests + users + variants + statuses + methods + ranges

  private static let lifetimes = [
    ComparisonCase("max-age", ["Cache-Control": "max-age=3600"]),
    ComparisonCase(
      "max-age that has passed", ["Cache-Control": "max-age=60", "Date": "@-120"], knownDifference: .ownDate),
    ComparisonCase("neither a lifetime nor a validator", [:], knownDifference: .ownDate),
    ComparisonCase("max-age=0", ["Cache-Control": "max-age=0"], knownDifference: .ownDate),
    ComparisonCase("s-maxage before max-age", ["Cache-Control": "max-age=0, s-maxage=3600"]),
    ComparisonCase("s-maxage=0 before max-age", ["Cache-Control": "max-age=3600, s-maxage=0", "ETag": "\"a\""]),
    ComparisonCase("Expires", ["Expires": "@3600"]),
    ComparisonCase("Expires in the past", ["Expires": "@-3600", "ETag": "\"a\""]),
    ComparisonCase("an invalid Expires", ["Expires": "0", "ETag": "\"a\""]),
    ComparisonCase("max-age before Expires in the past", ["Cache-Control": "max-age=3600", "Expires": "@-3600"]),
    ComparisonCase("max-age=0 before Expires", ["Cache-Control": "max-age=0", "Expires": "@3600", "ETag": "\"a\""]),
    ComparisonCase("Age below max-age", ["Cache-Control": "max-age=3600", "Age": "60"]),
    ComparisonCase("Age above max-age", ["Cache-Control": "max-age=60", "Age": "120", "ETag": "\"a\""]),
    ComparisonCase("a heuristic from an old Last-Modified", ["Last-Modified": "@-8640000"]),
    ComparisonCase("a heuristic that has passed", ["Last-Modified": "@-1000", "Date": "@-900"]),
    ComparisonCase(
      "a heuristic for a URL with a query", ["Last-Modified": "@-8640000"], steps: twice(Step(path: "/?a"))),
    ComparisonCase(
      "max-age for a URL with a query", ["Cache-Control": "max-age=3600"], steps: twice(Step(path: "/?a"))),
    ComparisonCase(
      "stale-while-revalidate",
      ["Cache-Control": "max-age=60, stale-while-revalidate=3600", "Date": "@-120", "ETag": "\"a\""]),
  ]

  private static let validations = [
    ComparisonCase("ETag", ["Cache-Control": "max-age=60", "Date": "@-120", "ETag": "\"a\""]),
    ComparisonCase(
      "Last-Modified", ["Cache-Control": "max-age=60", "Date": "@-120", "Last-Modified": "@-8640000"]),
    ComparisonCase(
      "a weak ETag", ["Cache-Control": "max-age=60", "Date": "@-120", "ETag": "W/\"a\""]),
    ComparisonCase(
      "a 304 makes the response fresh again",
      replies: [
        Reply(fields: ["Cache-Control": "max-age=60", "Date": "@-120", "ETag": "\"a\""]),
        Reply(fields: ["Cache-Control": "max-age=3600", "ETag": "\"a\""]),
      ], steps: [.get, .get, .get]),
    ComparisonCase(
      "another ETag replaces the response",
      replies: [
        Reply(fields: ["Cache-Control": "max-age=60", "Date": "@-120", "ETag": "\"a\""]),
        Reply(fields: ["Cache-Control": "max-age=3600", "ETag": "\"b\""]),
      ], steps: [.get, .get, .get]),
    ComparisonCase("no-cache", ["Cache-Control": "no-cache", "ETag": "\"a\""]),
    ComparisonCase("no-cache without a validator", ["Cache-Control": "no-cache"], knownDifference: .ownDate),
    ComparisonCase(
      "must-revalidate while fresh", ["Cache-Control": "max-age=3600, must-revalidate", "ETag": "\"a\""]),
    ComparisonCase(
      "must-revalidate when stale",
      ["Cache-Control": "max-age=60, must-revalidate", "Date": "@-120", "ETag": "\"a\""]),
    ComparisonCase(
      "proxy-revalidate when stale",
      ["Cache-Control": "max-age=60, proxy-revalidate", "Date": "@-120", "ETag": "\"a\""],
      steps: [.get, .get(.cacheControl, "max-stale")]),
    ComparisonCase(
      "a condition of the client that the stored response confirms",
      ["Cache-Control": "max-age=3600", "ETag": "\"a\""], steps: [.get, .get(.ifNoneMatch, "\"a\"")]),
    ComparisonCase(
      "a condition of the client that the stored response does not confirm",
      ["Cache-Control": "max-age=3600", "ETag": "\"a\""], steps: [.get, .get(.ifNoneMatch, "\"b\"")]),
    ComparisonCase(
      "stale-if-error",
      replies: [
        Reply(fields: ["Cache-Control": "max-age=60, stale-if-error=3600", "Date": "@-120", "ETag": "\"a\""]),
        Reply(status: 503),
      ], knownDifference: .staleIfError),
    ComparisonCase(
      "an error in the validation of a response with must-revalidate",
      replies: [
        Reply(fields: ["Cache-Control": "max-age=60, must-revalidate", "Date": "@-120", "ETag": "\"a\""]),
        Reply(status: 503),
      ]),
  ]

  private static let prohibitions = [
    ComparisonCase("private", ["Cache-Control": "private, max-age=3600"]),
    ComparisonCase("no-store", ["Cache-Control": "no-store, max-age=3600"]),
    ComparisonCase("Vary: *", ["Cache-Control": "max-age=3600", "Vary": "*"], knownDifference: .ownDate),
    ComparisonCase("Set-Cookie", ["Cache-Control": "max-age=3600", "Set-Cookie": "a=b"]),
  ]

  private static let pragma = HTTPFields(
    HTTPField.Name("Pragma").map { [HTTPField(name: $0, value: "no-cache")] } ?? [])

  private static let requests = [
    ComparisonCase(
      "no-cache of a request", ["Cache-Control": "max-age=3600", "ETag": "\"a\""],
      steps: [.get, .get(.cacheControl, "no-cache")], knownDifference: .reload),
    ComparisonCase(
      "max-age=0 of a request", ["Cache-Control": "max-age=3600", "ETag": "\"a\""],
      steps: [.get, .get(.cacheControl, "max-age=0")]),
    ComparisonCase(
      "max-age of a request below the age", ["Cache-Control": "max-age=3600", "Date": "@-120", "ETag": "\"a\""],
      steps: [.get, .get(.cacheControl, "max-age=60")]),
    ComparisonCase(
      "min-fresh above the rest", ["Cache-Control": "max-age=180", "Date": "@-120", "ETag": "\"a\""],
      steps: [.get, .get(.cacheControl, "min-fresh=120")]),
    ComparisonCase(
      "max-stale", ["Cache-Control": "max-age=60", "Date": "@-120", "ETag": "\"a\""],
      steps: [.get, .get(.cacheControl, "max-stale=3600")]),
    ComparisonCase(
      "no-store of a request", ["Cache-Control": "max-age=3600"], steps: [.get(.cacheControl, "no-store"), .get]),
    ComparisonCase(
      "Pragma of a request", ["Cache-Control": "max-age=3600", "ETag": "\"a\""],
      steps: [.get, Step(headers: pragma)], knownDifference: .reload),
    ComparisonCase(
      "only-if-cached without a response", ["Cache-Control": "max-age=3600"],
      steps: [.get(.cacheControl, "only-if-cached")]),
    ComparisonCase(
      "only-if-cached with a response", ["Cache-Control": "max-age=3600"],
      steps: [.get, .get(.cacheControl, "only-if-cached")]),
  ]

  private static let users = [
    ComparisonCase("Authorization", ["Cache-Control": "max-age=3600"], steps: twice(.get(.authorization, "Bearer a"))),
    ComparisonCase(
      "Authorization with public", ["Cache-Control": "public, max-age=3600"],
      steps: twice(.get(.authorization, "Bearer a"))),
    ComparisonCase(
      "Authorization with s-maxage", ["Cache-Control": "s-maxage=3600"], steps: twice(.get(.authorization, "Bearer a"))),
    ComparisonCase(
      "Authorization with must-revalidate", ["Cache-Control": "max-age=3600, must-revalidate"],
      steps: twice(.get(.authorization, "Bearer a"))),
    ComparisonCase(
      "public for another user", ["Cache-Control": "public, max-age=3600"],
      steps: [.get(.authorization, "Bearer a"), .get(.authorization, "Bearer b")]),
  ]

  private static let variants = [
    ComparisonCase(
      "Vary with the same field", ["Cache-Control": "max-age=3600", "Vary": "Accept-Language"],
      steps: twice(.get(.acceptLanguage, "de"))),
    ComparisonCase(
      "Vary with another field, and the first again", ["Cache-Control": "max-age=3600", "Vary": "Accept-Language"],
      steps: [.get(.acceptLanguage, "de"), .get(.acceptLanguage, "en"), .get(.acceptLanguage, "de")]),
    ComparisonCase(
      "Vary without the field", ["Cache-Control": "max-age=3600", "Vary": "Accept-Language"],
      steps: [.get(.acceptLanguage, "de"), .get]),
  ]

  private static let statuses =
    [203, 204, 301, 308, 404, 405, 410, 414, 501].map {
      ComparisonCase(
        "a heuristic for \($0)", ["Last-Modified": "@-8640000"], status: $0,
        knownDifference: [204, 404, 405, 414, 501].contains($0) ? .errors : nil)
    }
    + [302, 307, 403, 500, 503].map {
      ComparisonCase("no heuristic for \($0)", ["Last-Modified": "@-8640000", "Location": "/other"], status: $0)
    }
    + [203, 204, 301, 302, 307, 308, 403, 404, 410, 500, 503].map {
      ComparisonCase(
        "max-age for \($0)", ["Cache-Control": "max-age=3600", "Location": "/other"], status: $0,
        knownDifference: [204, 403, 404, 500, 503].contains($0) ? .errors : nil)
    }

  private static let methods = [
    ComparisonCase("HEAD after GET", ["Cache-Control": "max-age=3600"], steps: [.get, .head]),
    ComparisonCase("GET after HEAD", ["Cache-Control": "max-age=3600"], steps: [.head, .get]),
    ComparisonCase("POST", ["Cache-Control": "max-age=3600"], steps: [.get, Step(method: .post), .get]),
    ComparisonCase("PUT", ["Cache-Control": "max-age=3600"], steps: [.get, Step(method: .put), .get]),
    ComparisonCase("DELETE", ["Cache-Control": "max-age=3600"], steps: [.get, Step(method: .delete), .get]),
    ComparisonCase("OPTIONS", ["Cache-Control": "max-age=3600"], steps: [.get, Step(method: .options), .get]),
    ComparisonCase(
      "a POST that fails",
      replies: [
        Reply(fields: ["Cache-Control": "max-age=3600"]), Reply(status: 500),
        Reply(fields: ["Cache-Control": "max-age=3600"]),
      ], steps: [.get, Step(method: .post), .get]),
    ComparisonCase(
      "Location of a POST", ["Cache-Control": "max-age=3600", "Location": "http://HOST/"],
      steps: [.get, Step(method: .post, path: "/other"), .get]),
    ComparisonCase(
      "Content-Location of a POST", ["Cache-Control": "max-age=3600", "Content-Location": "http://HOST/"],
      steps: [.get, Step(method: .post, path: "/other"), .get]),
  ]

  private static let ranges = [
    ComparisonCase(
      "a range of a stored response", ["Cache-Control": "max-age=3600", "ETag": "\"a\""], acceptsRanges: true,
      steps: [.get, .get(.range, "bytes=1-3")]),
    ComparisonCase(
      "a range twice", ["Cache-Control": "max-age=3600", "ETag": "\"a\""], acceptsRanges: true,
      steps: twice(.get(.range, "bytes=1-3")), knownDifference: .parts),
    ComparisonCase(
      "the whole response after a range", ["Cache-Control": "max-age=3600", "ETag": "\"a\""], acceptsRanges: true,
      steps: [.get(.range, "bytes=1-3"), .get]),
  ]

  private static func twice(_ step: Step) -> [Step] { [step, step] }
}

/// The differences of squid, and the RFC that permits both behaviours or requires ours.
extension String {
  fileprivate static let ownDate =
    "squid sends If-Modified-Since without a stored Last-Modified; RFC 9111 section 4.3.1 asks for stored validators"
  fileprivate static let staleIfError =
    "squid uses a stale response if the server cannot be reached, not for a 503; RFC 5861 section 4 permits both"
  fileprivate static let reload =
    "squid requests the whole response anew for no-cache; RFC 9111 section 5.2.1.4 permits a validation"
  fileprivate static let errors =
    "squid stores this status only with negative_ttl; RFC 9111 section 3 and RFC 9110 section 15.1 permit storing it"
  fileprivate static let parts = "squid stores no part of a response; RFC 9111 section 3.3 permits it"
}
