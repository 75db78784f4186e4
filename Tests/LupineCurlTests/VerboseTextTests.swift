import Testing

@testable import LupineCurl

@Suite struct VerboseTextTests {
  private func read(_ line: String) -> VerboseText? {
    Array(line.utf8).withUnsafeBytes { VerboseText($0) }
  }

  @Test func `the lines that matter are read, as libcurl 7 dot 88 and later ones spell them`() {
    #expect(read("Using Stream ID: 4294967295 (easy handle 0x55d565a3e160)\n") == .stream(.max))
    #expect(read("recveived GOAWAY, error=0, last_stream=5\n") == .goAway(last: 5))
    #expect(read("received GOAWAY, error=11, last_stream=0") == .goAway(last: 0))
    #expect(read("REFUSED_STREAM, retrying a fresh connect\n") == .refused)
    #expect(read("Downgrades to HTTP/1.1\n") == .needsHTTP1)
  }

  @Test(
    arguments: [
      "", "U", "Using Stream ID: ", "Using Stream ID: x", "Using Stream ID: 4294967296", "using HTTP/2\n",
      "recveived GOAWAY, error=0, last_stream=", "recveived GOAWAY, error=0, last_stream=99999999999",
      "Connection died, retrying a fresh connect (retry count: 1)\n", "h2h3 [x: REFUSED_STREAM, retrying]\n",
      "h2h3 [x: recveived GOAWAY, error=0, last_stream=0]\n", "REFUSED_STREAM",
    ])
  func `other lines have no effect, whatever they quote`(line: String) {
    #expect(read(line) == nil)
  }
}
