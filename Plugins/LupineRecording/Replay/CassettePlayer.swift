import LupineCore
import LupineDoubles
import LupineFoundation
import LupineSupport

/// Answers requests with the exchanges of a cassette.
final class CassettePlayer: Sendable {
  /// The maximum number of bytes of a request's body that are read to compare it.
  private static let maximumBody = 64 << 20

  let header: Cassette.Header
  let options: ReplayOptions
  let table: EntryTable
  /// The virtual clocks whose date began with the recording.
  let clocks: RecordedClocks
  private let folder: String

  /// - Parameter folder: the path of the folder with the files of the bodies.
  init(
    _ header: Cassette.Header, _ entries: [Cassette.Entry], from source: CassetteSource, folder: String,
    _ options: ReplayOptions
  ) {
    self.header = header
    self.folder = folder
    self.options = options
    clocks = RecordedClocks(from: header.date)
    table = EntryTable(
      entries, source: source, matching: options.matching, repeats: options.isRepeating
    ) { file in
      guard let file = try? CassetteFolder(at: folder).open(file.name, as: .invalidCassette),
        file.length <= Self.maximumBody, let bytes = try? file.read(at: 0, count: Int(file.length))
      else { return nil }
      return Data(bytes)
    }
  }

  /// The exchanges that no request has asked for.
  var unused: [Cassette.Entry] { table.unused.map { table.entries[$0] } }

  /// The server of an exchange.
  func server(of url: HTTPURL, _ entry: Cassette.Entry) -> RecordedServer {
    RecordedServer(
      origin: header.origins[url.origin.description] ?? Cassette.Origin(),
      date: header.date.addingTimeInterval(entry.begin / .seconds(1)))
  }

  /// Opens the body of a response.
  func body(
    of response: Cassette.Response, of entry: Cassette.Entry, codings: [any ContentCoding]
  ) async throws(LupineError) -> PlayedBody {
    var response = response
    if response.chunks.isEmpty { response.chunks = response.soleChunk }
    var opened: CassetteFolder?
    if case .file = response.body {
      opened = try await BlockingWork.run { [folder] () throws(LupineError) in try CassetteFolder(at: folder) }
    }
    let isComplete = if case .complete = entry.end { true } else { false }
    return try await PlayedBody(response, isComplete: isComplete, in: opened, codings: codings)
  }

  /// Plays the exchange that matches the request.
  ///
  /// - Parameter whenDone: called at the end of the response's body, if this method returns.
  /// - Throws: kind `unmatchedRequest` if no exchange matches; the request's body can then be sent by others, unless it is a
  ///   one-shot body inside another one that had to be compared.
  func play(
    _ request: OutgoingRequest, in context: TransferContext, on exchange: VirtualExchange,
    whenDone: @escaping @Sendable () -> Void
  ) async throws(LupineError) -> TransportResponse {
    let (upload, number) = try await exchange.run(on: context.executor) { [self] () throws(LupineError) in
      try await claim(request, in: context)
    }
    let playback = Playback(
      player: self, entry: table.entries[number], request: request, context: context, exchange: exchange,
      upload: upload)
    return try await playback.run(whenDone: whenDone)
  }

  /// Takes the exchange that answers the request, and opens the request's body; a body that is compared is read before.
  private func claim(
    _ request: OutgoingRequest, in context: TransferContext
  ) async throws(LupineError) -> (PlayedUpload?, Int) {
    guard table.readsBody else {
      let live = LiveRequest(request, redaction: options.redaction, secretFields: context.secretFields)
      let number = try table.claim(live)
      return (try await PlayedUpload(of: request, in: context, keepingBytes: false), number)
    }
    let upload = try await PlayedUpload(of: request, in: context, keepingBytes: true)
    do throws(LupineError) {
      try await upload?.readAll(upTo: Self.maximumBody)
      let (body, secretFields) = (upload?.data ?? Data(), context.secretFields)
      let number = try await BlockingWork.run { [table, options] () throws(LupineError) in
        try table.claim(LiveRequest(request, body: body, redaction: options.redaction, secretFields: secretFields))
      }
      return (upload, number)
    } catch {
      upload?.restore()
      throw error
    }
  }

  /// Plays the exchange that matches the request, for a recording that makes all others; returns `nil` if none does.
  func playIfRecorded(
    _ request: OutgoingRequest, in context: TransferContext
  ) async throws(LupineError) -> TransportResponse? {
    let exchange = VirtualExchange()
    exchange.follow(context)
    do throws(LupineError) {
      return try await play(request, in: context, on: exchange) {}
    } catch {
      if error.kind == .unmatchedRequest { return nil }
      throw error
    }
  }
}

extension CassettePlayer {
  /// Plays a cassette that was read from a file.
  convenience init(_ contents: CassetteContents, at path: String, _ options: ReplayOptions) {
    let source = CassetteSource(
      name: CassetteFolder.name(of: path), lines: contents.blocks.map(\.line), filter: options.filter)
    self.init(contents.header, contents.cassette.entries, from: source, folder: CassetteFolder.path(of: path), options)
  }
}
