#if Terminal
  import HTTPTypes
  import LupineCore

  /// Prints the exchanges of a transport, and leaves out fields that the user does not want.
  struct PrintingTransport: WrappingTransport {
    let base: any Transport
    let printer: ExchangePrinter
    let removedFields: Set<HTTPField.Name>
    /// Whether requests are sent; otherwise every exchange ends with kind `cancelled`.
    let isOnline: Bool
    /// The session's versions of HTTP without TLS.
    let usesHTTP2: Bool

    func send(
      _ request: OutgoingRequest, in context: TransferContext
    ) async throws(LupineError) -> TransportResponse {
      var request = request
      for name in removedFields where request.headers.contains(name) { request.headers[name] = nil }
      if printer.printsAll { try await print(request) }
      guard isOnline else { throw LupineError(.cancelled, "The request was printed, and not sent.") }
      if request.url.scheme == .http { printer.note(usesHTTP2 ? .http2 : .http1_1) }
      let response = try await base.send(request, in: observed(context))
      do {
        try printer.print(response.head)
      } catch {
        throw Self.failure(error)
      }
      return response
    }

    private func print(_ request: OutgoingRequest) async throws(LupineError) {
      do {
        try await printer.print(request, isSent: isOnline)
      } catch {
        throw Self.failure(error)
      }
    }

    private static func failure(_ error: any Error) -> LupineError {
      error as? LupineError ?? LupineError(.fileFailed, "\(error)", underlying: error)
    }

    private func observed(_ context: TransferContext) -> TransferContext {
      guard printer.parts.contains(.responseHead) else { return context }
      return context.observing { [printer] event in
        guard case .secured(let details) = event else { return }
        printer.note(details.applicationProtocol == "h2" ? .http2 : .http1_1)
      }
    }
  }
#endif
