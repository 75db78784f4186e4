import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineFixtures
@testable import LupineRecording
import LupineSupport
import Testing

/// Secrets at every place where rules find them.
@Suite struct SecretPlacesTests {
  private static let secret = "s3cr+t/Value=42é~"
  private static let placeholder = "REDACTED-1"
  private let marked: SecretFields = {
    var fields = SecretFields.standard
    fields.insert(HTTPField.Name(constant: "X-Tenant"))
    return fields
  }()

  private func redacted(_ entry: Cassette.Entry) throws -> Cassette.Entry {
    try Redactor().redacted(entry, secretFields: marked) { _, _ in }
  }

  @Test func `the token of a service is secret as a field and as a member`() throws {
    for (names, isSecret) in [(SecretFieldNames.secret, true), (SecretFieldNames.harmless, false)] {
      for name in names {
        #expect(SecretRules().isSecret(field: try #require(HTTPField.Name(name))) == isSecret, "\(name)")
        #expect(SecretRules().isSecret(member: name) == isSecret, "\(name)")
      }
    }
  }

  @Test(arguments: SecretPlace.all) func `a placeholder replaces the secret and nothing else`(place: SecretPlace) throws
  {
    let before = place.entry(Self.secret)
    #expect(SecretPlace.isSecret(Self.secret, in: Data(CassetteWriter.text(of: before))))
    let after = try redacted(before)
    let text = CassetteWriter.text(of: after)
    #expect(!SecretPlace.isSecret(Self.secret, in: Data(text)))
    // Equal but for the secret: the same exchange with another secret gives the same text.
    #expect(try CassetteWriter.text(of: redacted(place.entry("another one, of 9"))) == text)
    #expect(try redacted(after) == after)
  }

  @Test(arguments: SecretPlace.all) func `a placeholder that a program got from a recording stays`(place: SecretPlace)
    throws
  {
    // The base64 of a placeholder is a secret again.
    guard !place.description.hasPrefix("a name and") else { return }
    let recorded = try redacted(place.entry(Self.secret))
    let played = try redacted(place.entry(Self.placeholder))
    #expect(CassetteWriter.text(of: played) == CassetteWriter.text(of: recorded))
  }

  @Test(arguments: SecretPlace.requests) func `the live request matches, with any secret`(place: SecretPlace) throws {
    let recorded = try redacted(place.entry(Self.secret))
    let names = recorded.request.fields.map(\.name).filter { $0 != .contentType }
    let matching = CassetteMatching([.method, .url, .query, .body] + names.map { .field($0) })
    for secret in [Self.secret, "another", Self.placeholder] {
      let table = EntryTable([recorded], source: CassetteSource(name: "a.cassette"), matching: matching)
      let live = try live(place.entry(secret).request)
      #expect(try table.claim(live) == 0, "\(secret)")
    }
  }

  @Test(arguments: SecretPlace.requests) func `another placeholder does not match`(place: SecretPlace) throws {
    guard !place.description.hasPrefix("a name and") else { return }
    let recorded = try redacted(place.entry(Self.secret))
    let names = recorded.request.fields.map(\.name).filter { $0 != .contentType }
    let matching = CassetteMatching([.method, .url, .query, .body] + names.map { .field($0) })
    let table = EntryTable([recorded], source: CassetteSource(name: "a.cassette"), matching: matching)
    let live = try live(place.entry("REDACTED-2").request)
    let error = try #require(throws: LupineError.self) { try table.claim(live) }
    #expect(error.kind == .unmatchedRequest)
  }

  private func live(_ request: Cassette.Request) throws -> LiveRequest {
    let outgoing = OutgoingRequest(
      url: try HTTPURL(request.url), method: request.method, headers: request.fields)
    guard case .inline(let body) = request.body else {
      return LiveRequest(outgoing, redaction: Redaction(), secretFields: marked)
    }
    return LiveRequest(outgoing, body: body, redaction: Redaction(), secretFields: marked)
  }

  @Test(arguments: SecretPlace.responses)
  func `pieces keep their number and add up, wherever they end`(place: SecretPlace) throws {
    var entry = place.entry(Self.secret)
    guard case .inline(let body)? = entry.response?.body else { return }
    for cut in 0...body.count {
      entry.response?.chunks = [
        Cassette.Chunk(after: .zero, count: cut), Cassette.Chunk(after: .seconds(1), count: body.count - cut),
      ]
      let response = try #require(try redacted(entry).response)
      guard case .inline(let after) = response.body else { continue }
      #expect(response.chunks.map(\.after) == [.zero, .seconds(1)])
      #expect(response.chunks.reduce(0) { $0 + $1.count } == after.count)
      #expect(response.chunks.allSatisfy { $0.count >= 0 })
      // A piece that ends before the first secret, or begins after the last one, is as it was.
      let common = zip(body, after).prefix { $0 == $1 }.count
      if cut <= common, cut < common { #expect(response.chunks[0].count == cut) }
    }
  }
}
