import HTTPTypes
import LupineCore
import LupineRecording
import Testing

/// The value of a recording.
@Suite struct CassetteTests {
  @Test func `an entry that is described by its URL alone is a complete exchange without a response`() {
    let entry = Cassette.Entry(request: Cassette.Request(url: "https://api.example.com/"))
    #expect(entry.request.method == .get)
    #expect(entry.response == nil)
    #expect(entry.end == .complete(trailers: nil))
  }
}
