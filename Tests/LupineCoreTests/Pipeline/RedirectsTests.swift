import HTTPTypes
import LupineFoundation
import Testing

@testable import LupineCore
@testable import LupineSession

/// The redirects of one attempt, as a value.
@Suite struct RedirectsTests {
  private let rules = RedirectRules(secrets: .standard, limits: Limits())

  private func response(
    _ status: HTTPResponse.Status = .found, to location: String? = "/next",
    from source: TransportResponse.Source = .origin
  ) -> TransportResponse {
    var head = HTTPResponse(status: status)
    head.headerFields[.location] = location
    return TransportResponse(head: head, body: .complete(Data()), source: source)
  }

  private func outcome(_ decision: Redirects.Decision?) -> String {
    guard let decision else { return "none" }
    return switch decision.next {
    case .success(let next?): "follow \(next.url.path): \(decision.reason)"
    case .success(nil): "keep: \(decision.reason)"
    case .failure(let error): "fail: \(error.kind)"
    }
  }

  private func decide(_ response: TransportResponse, _ redirector: Redirector = .follow) throws -> String {
    var redirects = Redirects()
    let decision = redirects.decide(
      after: response, to: try OutgoingRequest("https://example.com/"), by: redirector, rules)
    #expect(redirects.steps.count == (outcome(decision).hasPrefix("follow") ? 1 : 0))
    return outcome(decision)
  }

  @Test func `a redirect of the server is followed, and recorded`() throws {
    #expect(try decide(response()) == "follow /next: status 302")
  }

  @Test func `other responses do not redirect`() throws {
    #expect(try decide(response(.ok)) == "none")
    #expect(try decide(response(to: nil)) == "none")
    #expect(try decide(response(from: .proxy)) == "none")
  }

  @Test func `a redirector that does not follow keeps the response, whatever its Location`() throws {
    #expect(try decide(response(), .doNotFollow) == "keep: the redirector keeps it as the response")
    #expect(try decide(response(to: "ftp://x"), .doNotFollow) == "keep: the redirector keeps it as the response")
  }

  @Test func `a redirect that the request does not permit is kept, without asking the redirector`() throws {
    var request = try OutgoingRequest("https://example.com/")
    request.options[PermittedRedirects.self] = { $0.status == .temporaryRedirect }
    var redirects = Redirects()
    let never = Redirector.modify { _, head in
      #expect(head.status == .temporaryRedirect)
      return nil
    }
    let kept = redirects.decide(after: response(), to: request, by: never, rules)
    #expect(outcome(kept) == "keep: the request does not permit it")
    let asked = redirects.decide(after: response(.temporaryRedirect), to: request, by: never, rules)
    #expect(outcome(asked) == "keep: the redirector keeps it as the response")
    let followed = redirects.decide(after: response(.temporaryRedirect), to: request, by: .follow, rules)
    let next = try #require(try followed?.next.get())
    #expect(next.options[PermittedRedirects.self] != nil)
  }

  @Test func `a redirect that cannot be followed is an error`() throws {
    #expect(try decide(response(to: "http://example.com/")) == "fail: redirectFailed")
  }

  @Test func `too many redirects are an error`() throws {
    var redirects = Redirects()
    let request = try OutgoingRequest("https://example.com/")
    for _ in 0..<rules.limits.redirects {
      #expect(outcome(redirects.decide(after: response(), to: request, by: .follow, rules)).hasPrefix("follow"))
    }
    let last = outcome(redirects.decide(after: response(), to: request, by: .follow, rules))
    #expect(last == "fail: limitExceeded(redirects)")
  }
}
