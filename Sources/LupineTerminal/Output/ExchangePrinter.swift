#if Terminal
  import HTTPTypes
  import LupineCore
  import Synchronization

  /// Prints the exchanges of a request while they happen.
  final class ExchangePrinter: Sendable {
    private struct State {
      var version = ProtocolVersion.http1_1
      var hasPrintedHead = false
    }

    let parts: PrintedParts
    private let output: StandardOutput
    private let state = Mutex(State())

    /// The longest content of a request that is printed beside being sent.
    private static let longestContent = 1 << 20

    init(_ parts: PrintedParts, on output: StandardOutput) {
      self.parts = parts
      self.output = output
    }

    /// Whether every request and response is printed, those of redirects included.
    var printsAll: Bool { !parts.isDisjoint(with: [.requestHead, .requestBody]) }

    /// Stores the version of a connection, for the head.
    func note(_ version: ProtocolVersion) { state.withLock { $0.version = version } }

    /// Prints a request.
    ///
    /// - Parameter isSent: whether the request is also sent, so that content that can be read once is not printed.
    func print(_ request: OutgoingRequest, isSent: Bool) async throws {
      if parts.contains(.requestHead) {
        try HeadPrinter(output: output).write(request, length: try Self.length(of: request.body))
      }
      guard parts.contains(.requestBody), request.hasBody else { return }
      let length = try Self.length(of: request.body) ?? 0
      guard !isSent || request.body.isReplayable && length <= Self.longestContent else {
        return try output.write("(the content is sent, and not shown)\n\n")
      }
      try await print(request.body, request.headers)
      // A terminal has a line break after the content already.
      if isSent { try output.write(output.isTerminal ? "\n" : "\n\n") }
    }

    private func print(_ body: RequestBody, _ fields: HTTPFields) async throws {
      var printer = ContentPrinter(fields, length: body.length, to: output)
      var failure: (any Error)?
      try? await body.drain { (bytes) throws(LupineError) in
        do {
          guard try printer.write(Array(bytes)) else { throw LupineError(.cancelled, "The rest is not shown.") }
        } catch let error as LupineError {
          throw error
        } catch {
          failure = error
          throw LupineError(.cancelled, "The output failed.")
        }
      }
      if let failure { throw failure }
      try printer.finish()
    }

    /// Prints the head of a response of an exchange.
    func print(_ response: HTTPResponse) throws {
      guard printsAll, parts.contains(.responseHead) else { return }
      try writeHead(response)
    }

    /// Prints the head of the final response, unless that of its exchange was printed.
    func printFinal(_ response: HTTPResponse) throws {
      guard parts.contains(.responseHead), !state.withLock(\.hasPrintedHead) else { return }
      try writeHead(response)
    }

    private func writeHead(_ response: HTTPResponse) throws {
      let version = state.withLock { state in
        state.hasPrintedHead = true
        return state.version
      }
      try HeadPrinter(output: output).write(response, version: version)
    }

    private static func length(of body: RequestBody) throws -> Int64? {
      if let length = body.length { return length }
      guard case .file = body.source else { return nil }
      return try body.makeReader {}.length
    }
  }
#endif
