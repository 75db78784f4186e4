import Testing

@testable import LupineAuthentication

@Suite struct FormEncodingTests {
  @Test func `a form has a plus for a space, and no plus of its own`() {
    #expect(FormEncoding.encoded("aZ09 b+c*-._~\u{E9}") == "aZ09+b%2Bc*-._%7E%C3%A9")
  }
}
