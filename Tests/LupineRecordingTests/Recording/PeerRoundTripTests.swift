import FoundationEssentials
import HTTPTypes
import Lupine
import LupineFixtures
import LupineMock
import LupineRecording
import LupineTesting
import Testing
import TransportSupport

/// Exchanges with servers of other projects are recorded over each transport, and play with the same events.
@Suite(.overEachTransport, .timeLimit(.minutes(2)), .enabled(if: Peers.httpbin != nil || Peers.areRequired))
struct PeerRoundTripTests {
  private static func text(_ session: Session, _ request: OutgoingRequest) async -> [String] {
    let response = await session.request(request).serializingString().response
    return [response.value ?? "\(response.error?.kind.name ?? "")", "\(response.response?.status.code ?? 0)"]
  }

  @Test(arguments: ["/gzip", "/deflate", "/brotli"])
  func `a coded body is recorded as text and coded again`(path: String) async throws {
    var take = try Take()
    take.configure = { $0.contentCoding(.gzip).contentCoding(.deflate).contentCoding(.brotli) }
    let url = try #require(Peers.httpbin) + path
    let scenario: @Sendable (Session) async throws -> [String] = { session in
      await Self.text(session, try OutgoingRequest(url))
    }
    let recorded = try await take.record(scenario)
    let played = try await take.play(scenario)
    #expect(played.results == recorded.results)
    // The number of coded bytes may differ, and so may the length that the head states.
    let received = { (events: [String]) in events.filter { !$0.hasPrefix("received") && !$0.hasPrefix("head") } }
    #expect(received(played.events) == received(recorded.events))
    let response = try #require(try take.cassette.entries.first?.response)
    #expect(response.codings.count == 1)
    guard case .inline(let body) = response.body else { return #expect(Bool(false), "\(response.body)") }
    #expect(String(decoding: body, as: UTF8.self).contains("\"method\": \"GET\""))
  }

  @Test func `a part of a representation keeps its range`() async throws {
    let url = try #require(Peers.httpbin) + "/range/1024"
    let cassette = try await Take().check { session in
      await Self.text(session, try OutgoingRequest(url, headers: [.range: "bytes=10-19"]))
    }
    #expect(cassette.entries.first?.response?.head.status == .partialContent)
    #expect(cassette.entries.first?.request.fields[.range] == "bytes=10-19")
  }

  @Test func `redirects and cookies are separate exchanges`() async throws {
    var take = try Take()
    take.configure = { $0.install(.cookies) }
    take.recordingOptions.redaction = [.member("flavour")]
    take.replayOptions.redaction = [.member("flavour")]
    let url = try #require(Peers.httpbin)
    // The secret is as long as its placeholder, so that no length changes.
    let redacted: @Sendable (String) -> String = { $0.replacing("oatmeal-10", with: "REDACTED-1") }
    let cassette = try await take.check(redacted: redacted) { session in
      let first = await Self.text(session, try OutgoingRequest(url + "/redirect/2"))
      return first + (await Self.text(session, try OutgoingRequest(url + "/cookies/set?flavour=oatmeal-10")))
    }
    #expect(cassette.entries.map { $0.response?.head.status.code ?? 0 } == [302, 302, 200, 302, 200])
    let text = try take.folder.text("users.cassette")
    #expect(!text.contains("oatmeal-10"))
    // In the query and the cookie of the redirect, and in the cookie and the body of the last exchange.
    #expect(text.split(separator: "REDACTED-1", omittingEmptySubsequences: false).count > 4)
  }

  @Test func `Digest authenticates again without its credential in the cassette`() async throws {
    var take = try Take()
    take.configure = { $0.install(.authentication) }
    // The placeholders of httpbin's cookies would have other lengths.
    take.recordingOptions.redaction = [.harmless(field: .setCookie)]
    take.replayOptions.redaction = [.harmless(field: .setCookie)]
    let url = try #require(Peers.httpbin) + "/digest-auth/auth/mattt/open-sesame"
    let cassette = try await take.check { session in
      let response = await session.request(url).authenticate(username: "mattt", password: "open-sesame")
        .serializingString().response
      return [response.value ?? "", "\(response.response?.status.code ?? 0)"]
    }
    #expect(cassette.entries.map { $0.response?.head.status.code ?? 0 } == [401, 200])
    #expect(cassette.entries.last?.request.fields[.authorization]?.contains("REDACTED-") == true)
    #expect(cassette.entries.last?.request.fields[.authorization]?.contains("response=") == false)
  }

  @Test func `HTTP/2 keeps its version and the server's certificates, which pins judge again`() async throws {
    var take = try Take()
    let url = try #require(Peers.hypercornTLS) + "/known/5"
    var seen: [[Data]] = []
    for isAccepted in [true, false] {
      take.configure = {
        $0.httpVersion(.http2).trust([
          "localhost": .custom { trust in
            if !isAccepted || trust.presentedChain.isEmpty { throw Oops() }
          }
        ])
      }
      if isAccepted {
        let cassette = try await take.check { session in await Self.text(session, try OutgoingRequest(url)) }
        seen = cassette.header.origins.values.map(\.certificates)
        #expect(cassette.entries.first?.response?.version == .http2)
        #expect(cassette.header.origins.values.first?.tls?.applicationProtocol == "h2")
      } else {
        let refused = try await take.play { session in await Self.text(session, try OutgoingRequest(url)) }
        #expect(refused.results.first == "certificateRejected")
      }
    }
    #expect(seen.count == 1)
    #expect(seen.first?.isEmpty == false)
  }

  @Test func `an upload of 10 MB is recorded as its length and digest`() async throws {
    let url = try #require(Peers.hypercorn) + "/size"
    let bytes = [UInt8](repeating: 0x61, count: 2 << 20)
    let five = Array(repeating: bytes, count: 5)
    let file = try TemporaryFolder()
    let upload = try file.write(bytes, to: "upload.bin")
    let bodies: [(Int64, @Sendable () -> RequestBody)] = [
      (2 << 20, { .bytes(bytes) }), (2 << 20, { .file(upload) }), (10 << 20, { .oneShot(Pieces(five)) }),
    ]
    for (size, body) in bodies {
      let cassette = try await Take().check { session in
        await Self.text(session, try OutgoingRequest(url, method: .post, body: body()))
      }
      guard case .digest(let length, _)? = cassette.entries.first?.request.body else {
        return #expect(Bool(false), "\(String(describing: cassette.entries.first?.request.body))")
      }
      #expect(length == size)
    }
  }

  @Test func `a body that waits for 100 Continue is sent after it`() async throws {
    let url = try #require(Peers.hypercorn) + "/echo"
    let cassette = try await Take().check { session in
      var request = try OutgoingRequest(url, method: .post, body: .text("hello"))
      request.options.expectsContinue = true
      return await Self.text(session, request)
    }
    #expect(cassette.entries.first?.interim.map(\.head.status) == [.continue])
    #expect(cassette.entries.first?.request.body == .inline(Data("hello".utf8)))
  }

  @Test func `a slow stream plays with the recorded times of its pieces in virtual time`() async throws {
    // For five seconds, a piece every 50 milliseconds.
    let url = try #require(Peers.httpbin) + "/drip?duration=5&numbytes=100&delay=0"
    let take = try Take()
    _ = try await take.record { session in await Self.text(session, try OutgoingRequest(url)) }
    let chunks = try #require(try take.cassette.entries.first?.response?.chunks)
    // A busy machine may join some of the 100 pieces.
    #expect(chunks.count > 10)
    #expect(chunks.map(\.after) == chunks.map(\.after).sorted())
    #expect(try #require(chunks.last).after >= .seconds(4))
    let clock = ImmediateClock()
    let replay = try await ReplayTransport(contentsOf: take.path)
    let arrivals = Arrivals(base: replay, clock: clock)
    let session = try Session.Builder().transport(arrivals).clock(clock).build()
    #expect(try await session.request(url).serializingData().value.count == 100)
    #expect(arrivals.all == chunks)
  }
}
