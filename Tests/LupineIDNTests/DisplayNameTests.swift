import LupineCore
import LupineIDN
import Testing

@Suite struct DisplayNameTests {
  private func displayed(_ name: String) async throws -> String {
    try await HostNames.withConverter(.idna) { try HTTPURL("https://\(name)/").displayHost }
  }

  @Test(arguments: [
    "müller.example", "straße.example", "łódź.example", "việtnam.example", "ελλάδα.example", "пример.example",
    "правда2.example", "日本語.example", "サーバー.example", "らーめん屋.example", "中文.example", "한국.example", "مثال.example",
    "हिन्दी.example", "ไทย.example", "müller.пример.example", "a-ü-1.example", "example.com", "192.0.2.1",
  ])
  func `a name of one script is shown`(_ name: String) async throws {
    #expect(try await displayed(name) == name)
  }

  @Test(arguments: [
    // Latin and Cyrillic; Cyrillic that looks Latin; Greek that looks Latin.
    "раypal.example", "аррӏе.example", "ορο.example",
    // Latin and Greek; Latin and kana; Latin and Han.
    "αlpha.example", "aノb.example", "a口.example",
    // A letter that lost its dot; a Japanese and a Chinese label of signs; a Cyrillic label with digits.
    "pıaypal.example", "ノ.example", "口.example", "ра1.example",
    // An invisible joiner; a script whose letters are not known here.
    "نامه‌ای.example", "ශ්‍රී.example",
  ])
  func `a label that can be confused keeps its ASCII form`(_ name: String) async throws {
    let host = try await HostNames.withConverter(.idna) { try HTTPURL("https://\(name)/").host }
    #expect(host.hasPrefix("xn--"))
    #expect(try await displayed(name) == host)
  }

  @Test func `each label is judged by itself`() async throws {
    #expect(try await displayed("müller.аррӏе.example") == "müller.xn--80ak6aa92e.example")
  }

  @Test(arguments: [
    "xn--a.example", "xn--.example", "xn--mller-kva1234567.example", "xn--MLLER-kva.example", "xn--a-ecp.example",
  ])
  func `an ASCII label that no name has is shown as it is`(_ name: String) async throws {
    let shown = try await displayed(name)
    #expect(shown == name.lowercased() || shown == "müller.example")
  }

  @Test func `without a converter the ASCII form is shown`() async throws {
    try await HostNames.withConverter(nil) { () async throws in
      #expect(try HTTPURL("https://xn--mller-kva.example/").displayHost == "xn--mller-kva.example")
    }
  }
}
