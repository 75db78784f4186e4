public import LupineCore
import LupineDoubles
public import LupineFoundation
import LupineSupport
import Synchronization

/// Answers requests from a cassette, and makes no connection.
///
/// Each recorded exchange answers one request: the first one that matches and has not been used. Everything above the
/// transport is the real code. Interim responses, the pieces of bodies, trailers and errors come at their recorded times,
/// on the session's clock.
///
/// It has the capabilities of the recorded transport, so the same sessions can be built. Their trust evaluators judge the
/// recorded certificates at the date of the recording, and their network policies the recorded addresses.
public final class ReplayTransport: Transport {
  let player: CassettePlayer
  private let running = VirtualExchanges(of: "The replaying transport")
  private let unmatched = Mutex<[LupineError]>([])

  /// Makes a transport that plays a cassette.
  ///
  /// - Parameters:
  ///   - name: the name of the cassette in errors. Default: `cassette`.
  ///   - folder: the path of the folder with the files of the bodies. Default: the current folder.
  public init(
    _ cassette: Cassette, named name: String = "cassette", folder: String = ".",
    options: ReplayOptions = ReplayOptions()
  ) {
    player = CassettePlayer(
      cassette.header, cassette.entries, from: CassetteSource(name: name, filter: options.filter), folder: folder,
      options)
  }

  /// Reads a cassette, on a thread that waits for disks.
  ///
  /// - Throws: kind `invalidCassette` if the cassette is damaged; kind `fileFailed` if there is none or it cannot be read.
  public init(contentsOf path: String, options: ReplayOptions = ReplayOptions()) async throws(LupineError) {
    let contents = try await BlockingWork.run { () throws(LupineError) in try CassetteFile.read(path) }
    player = CassettePlayer(contents, at: path, options)
  }

  /// The capabilities of the transport that was recorded.
  public var capabilities: TransportCapabilities { player.header.capabilities }

  /// Whether the transport answers without another program: always true.
  public var isVirtual: Bool { true }

  /// Returns a date that is the date of the recording when the first session with the clock is built, and that advances
  /// with the clock; `nil` if the clock is no object.
  public func date(on clock: any DatedClock) -> (@Sendable () -> Date)? { player.clocks.date(on: clock) }

  /// The recorded exchanges that no request has asked for, in their order.
  public var unusedEntries: [Cassette.Entry] { player.unused }

  /// The recorded exchanges that requests have asked for, in their order in the cassette.
  public var usedExchanges: Cassette {
    let unused = Set(player.table.unused)
    let entries = player.table.entries.enumerated().filter { !unused.contains($0.offset) }.map(\.element)
    return Cassette(header: player.header, entries: entries)
  }

  /// The recorded exchanges that no request has asked for, each as a line with its place in the file.
  public var unusedLines: [String] { player.table.unusedLines }

  /// The errors of the requests that no exchange matched, in their order: the first 100.
  public var unmatchedErrors: [LupineError] { unmatched.withLock { $0 } }

  /// Plays the exchange that matches the request.
  ///
  /// The request's body is read as far as the recorded server received it, and reported as sent.
  ///
  /// - Throws: `LupineError` of kind `unmatchedRequest` if no unused exchange matches, and the recorded error of an exchange
  ///   that failed.
  public func send(
    _ request: OutgoingRequest, in context: TransferContext
  ) async throws(LupineError) -> TransportResponse {
    try RequestRules.check(request, limits: context.limits)
    if let reason = context.control.reason { throw reason }
    let exchange = try running.enter(context)
    do throws(LupineError) {
      return try await player.play(request, in: context, on: exchange) { [running] in running.leave(exchange) }
    } catch {
      running.leave(exchange)
      if error.kind == .unmatchedRequest { note(error) }
      throw error
    }
  }

  private func note(_ error: LupineError) {
    unmatched.withLock { if $0.count < 100 { $0.append(error) } }
  }

  /// Ends every exchange with kind `sessionShutDown` and waits for their ends; later requests fail with the same kind.
  public func shutdown() async { await running.shutDown() }
}
