import HTTPTypes
import LupineFoundation
import Testing

@testable import LupineCore
@testable import LupineSession

/// A store with two cookies, which notes what it is to store.
private struct TwoCookies: CookieStore {
  let stored = Notes<String>()

  func cookies(for url: HTTPURL, now: Date) -> [CookiePair] {
    [CookiePair(name: "a", value: "1"), CookiePair(name: "b", value: "2")]
  }

  func store(_ fields: [String], from url: HTTPURL, now: Date) { for field in fields { stored.add(field) } }
}

/// The cookies that the exchange loop adds and keeps.
@Suite struct RequestCookiesTests {
  private let jar = TwoCookies()

  private func sent(_ own: [String], by cookies: RequestCookies? = nil) throws -> [String] {
    var request = try OutgoingRequest("https://example.com/")
    request.headers[values: .cookie] = own
    (cookies ?? RequestCookies(store: jar, now: { Date() })).add(to: &request)
    return request.headers[values: .cookie]
  }

  @Test(
    arguments: [
      ([], ["a=1; b=2"]), (["c=3"], ["c=3; a=1; b=2"]), (["a=9"], ["a=9; b=2"]), (["a=9; b=8"], ["a=9; b=8"]),
      (["a=9", "b=8"], ["a=9; b=8"]),
    ] as [([String], [String])])
  func `a request's own cookies come first and have precedence`(own: [String], field: [String]) throws {
    #expect(try sent(own) == field)
  }

  @Test func `without a store the fields of a request become one`() throws {
    let cookies = RequestCookies(store: nil, now: { Date() })
    #expect(try sent([], by: cookies) == [])
    #expect(try sent(["a=1"], by: cookies) == ["a=1"])
    #expect(try sent(["a=1", "b=2"], by: cookies) == ["a=1; b=2"])
  }

  @Test(arguments: [TransportResponse.Source.origin, .proxy])
  func `the cookies of a server are kept, and those of a proxy are not`(source: TransportResponse.Source) throws {
    let head = HTTPResponse(status: .ok, headerFields: [.setCookie: "a=1"])
    let response = TransportResponse(head: head, body: .complete(Data()), source: source)
    RequestCookies(store: jar, now: { Date() }).keep(response, to: try OutgoingRequest("https://example.com/"))
    #expect(jar.stored.all == (source == .origin ? ["a=1"] : []))
  }
}
