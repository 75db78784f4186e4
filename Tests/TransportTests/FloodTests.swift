import Foundation
import HTTPTypes
import LupineCore
import LupineEventLoop
import LupineSession
import LupineFixtures
import LupineTesting
import PeerSupport
import Testing
import TransportSupport

/// Peers that occupy the loop with an endless flow of bytes.
///
/// No peer ends its flood. If the transport does not end the exchange either, the test fails at its time limit.
@Suite(.serialized, .timeLimit(.minutes(1))) struct FloodTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let kind: FloodPeer.Kind
    let line: FloodPeer.Line
    /// Whether the native transport is flooded, and not the one over libcurl.
    let isNative: Bool

    var testDescription: String {
      let line =
        switch line {
        case .plain: kind.rawValue
        case .secured: "\(kind.rawValue) over TLS"
        case .unixSocket: "\(kind.rawValue) over a Unix-domain socket"
        }
      return line + (isNative ? ", native" : ", libcurl")
    }

    /// Every flood that reaches a transport, over each transport.
    static let all = floods(isNative: false) + floods(isNative: true)

    /// Every flood over every kind of connection; no transport connects to a proxy over a Unix-domain socket.
    ///
    /// Only libcurl answers challenges of NTLM. The native transport closes a refused tunnel without reading its content.
    static func floods(isNative: Bool) -> [Case] {
      FloodPeer.Kind.floods.filter { !isNative || ![.challenge, .tunnel].contains($0) }.flatMap { kind in
        FloodPeer.Line.allCases.filter { kind != .tunnel || $0 != .unixSocket }
          .map { Case(kind: kind, line: $0, isNative: isNative) }
      }
    }
  }

  /// The maximum processor time of the loop's thread during one exchange.
  static let bound = Duration.seconds(2)

  /// An exchange with a flooding peer; the flood has begun when the initializer returns.
  private struct Flooded {
    let control = ExchangeControl()
    let transport: any Transport
    let exchange: Task<LupineError?, any Error>
    private let peer: FloodPeer

    init(_ flood: Case) async throws {
      peer = try FloodPeer(flood.kind, over: flood.line)
      transport = Client.trusting(isNative: flood.isNative).transport
      var request = try OutgoingRequest(url: HTTPURL(peer.url))
      request.options.version = flood.kind.version
      let connectionKey = try peer.connectionKey
      let context = TransferContext(
        id: RequestID(1), connectTimeout: .seconds(10), connectionKey: connectionKey, control: control,
        sink: { _ in .collect(limit: .max) })
      exchange = Task { [transport, request] in
        do throws(LupineError) {
          _ = try await transport.send(request, in: context).body.end()
          return nil
        } catch {
          return error
        }
      }
      try await peer.isFlooding.opened()
    }
  }

  @Test(arguments: Case.all)
  func `a flood ends its own exchange, and holds up no other`(flood: Case) async throws {
    let server = try ScriptedServer(always: .respond(body: .text("x")))
    let flooded = try await Flooded(flood)
    for _ in 1...5 {
      let began = await flooded.transport.loopTime
      let context = TransferContext(id: RequestID(2), sink: { _ in .collect(limit: 100) })
      let response = try await flooded.transport.send(OutgoingRequest(url: HTTPURL(server.url)), in: context)
      _ = try await response.body.end()
      #expect(await flooded.transport.loopTime - began < Self.bound)
    }
    let began = await flooded.transport.loopTime
    if flood.kind.isBody { flooded.control.cancel(LupineError(.cancelled, "Enough.")) }
    let error = try #require(try await flooded.exchange.value)
    #expect(await flooded.transport.loopTime - began < Self.bound)
    switch flood.kind {
    case .smallData, .smallChunks, .challenge: #expect(error.kind == .cancelled)
    // A limit ends `interim`, and libcurl may end `settings`, before a flood is detected.
    case .interim: #expect(error.kind == .limitExceeded(.informationalResponses))
    case .settings where !flood.isNative: #expect([.malformedResponse, .connectionLost].contains(error.kind))
    default:
      #expect(error.kind == .malformedResponse)
      #expect(error.message.contains("keeps sending"))
      #expect(error.message.contains("proxy") == (flood.kind == .tunnel))
    }
    await flooded.transport.shutdown()
  }

  @Test(arguments: Case.all)
  func `an exchange whose peer floods can be cancelled`(flood: Case) async throws {
    let flooded = try await Flooded(flood)
    let began = await flooded.transport.loopTime
    flooded.control.cancel(LupineError(.cancelled, "Enough."))
    #expect(try await flooded.exchange.value != nil)
    #expect(await flooded.transport.loopTime - began < Self.bound)
    await flooded.transport.shutdown()
  }

  @Test(arguments: Case.all)
  func `a transport whose peer floods can be shut down`(flood: Case) async throws {
    let flooded = try await Flooded(flood)
    await flooded.transport.shutdown()
    #expect(try await flooded.exchange.value != nil)
  }

  @Test(arguments: Case.all)
  func `the timeouts of a request hold while its peer floods`(flood: Case) async throws {
    let peer = try FloodPeer(flood.kind, over: flood.line)
    let transport = Client.trusting(isNative: flood.isNative).transport
    var builder = Session.Builder().transport(transport).httpVersion(flood.kind.version)
      .timeouts(total: .milliseconds(300))
    if let proxy = peer.proxy { builder = builder.proxy(proxy) }
    if let path = peer.unixSocket { builder = builder.unixSocket(path) }
    if let credential = peer.credential { builder = builder.connectionCredential(credential, to: .anyOrigin) }
    let session = try builder.build()
    let began = await transport.loopTime
    let error = await session.request(peer.url).serializingData().response.error
    #expect(error != nil)
    if flood.kind.isBody { #expect(error?.kind == .timedOut(.total)) }
    #expect(await transport.loopTime - began < Self.bound)
    await session.shutdown()
  }

  @Test(arguments: [false, true]) func `a connection that was flooded is closed`(isNative: Bool) async throws {
    let flooded = try await Flooded(Case(kind: .unknown, line: .plain, isNative: isNative))
    #expect(try await flooded.exchange.value?.metrics != nil)
    #expect(await flooded.transport.connectionPool() == ConnectionPoolSnapshot())
    await flooded.transport.shutdown()
  }

  /// Measures real time, which needs an otherwise idle machine; `make soak` sets the variable.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["LUPINE_SOAK"] == "1"), arguments: [false, true])
  func `an exchange beside a flood waits for little more than 50 milliseconds`(isNative: Bool) async throws {
    let server = try ScriptedServer(always: .respond(body: .text("x")))
    var waits: [UInt64] = []
    let floods = Case.floods(isNative: isNative)
    for flood in floods + floods {
      let flooded = try await Flooded(flood)
      let began = MonotonicClock.now
      let context = TransferContext(id: RequestID(2), sink: { _ in .collect(limit: 100) })
      let response = try await flooded.transport.send(OutgoingRequest(url: HTTPURL(server.url)), in: context)
      _ = try await response.body.end()
      waits.append(MonotonicClock.now - began)
      await flooded.transport.shutdown()
    }
    waits.sort()
    print("waits beside floods: median \(waits[waits.count / 2]), longest \(waits.last ?? 0) ns")
    #expect(waits[waits.count * 9 / 10] < 100_000_000)
  }
}
